# docker build -t polyglitch . && docker run --rm -v "$PWD:/work" polyglitch run --system ... --corpus ...
FROM python:3.11-slim

WORKDIR /opt/polyglitch
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY requirements ./requirements
COPY src ./src
# The same install as `make demo`, which the tests run.
RUN sh requirements/install.sh python demo

RUN useradd --create-home tester
USER tester
WORKDIR /work
ENTRYPOINT ["polyglitch"]
CMD ["--help"]
