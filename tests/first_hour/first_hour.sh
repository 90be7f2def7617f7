# A stranger's first hour, from top to bottom. `install` is what the test does before: a wheel in an environment of its own.
set -eu

# What is there, and what is missing for what?
polyglitch --version
polyglitch list methods
polyglitch doctor > doctor.txt

# My own program: a line in, a line out. No mutants are needed to see what it loses.
polyglitch run --system "cmd:./translate" --corpus sentences.txt --method facts --source-language en --target-language pt \
    --limit 5 -o first.html

# My own classifier, a function in a file; the column names are mine.
polyglitch run --system python:mine.py:classify --corpus reviews.csv --field text=opinion,label=stars \
    --method relations,suite --limit 5

# A gate: it passes at 90%, and fails with exit code 1 where more is asked than the classifier can do.
polyglitch run --system python:mine.py:classify --corpus reviews.csv --field text=opinion,label=stars \
    --method relations,suite --limit 5 --fail-under 90% -q
if polyglitch run --system python:mine.py:classify --corpus reviews.csv --field text=opinion,label=stars \
    --method relations,suite --limit 5 --fail-under 100% -q; then exit 9; else test $? = 1; fi

# Two versions of my program, compared case by case.
polyglitch run --system "cmd:./old" --corpus sentences.txt --method facts --source-language en --target-language pt --limit 5 --store old.sqlite -q
polyglitch run --system "cmd:./new" --corpus sentences.txt --method facts --source-language en --target-language pt --limit 5 --store new.sqlite -q
polyglitch compare old.sqlite: new.sqlite: --max-broken 5

# What was run, and the newest of it as figures for a program and as a page for people.
polyglitch runs
polyglitch report --json > figures.json
polyglitch report -o report.html

# In a notebook.
python -c "from nbclient.cli import main; main()" --inplace mine.ipynb

# In my own tests.
python -m pytest -q -p no:cacheprovider test_mine.py --polyglitch-report checks.html
