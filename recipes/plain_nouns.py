"""How languages/pt/plain_nouns.txt was made: masculine singular nouns that are no verb form and no adjective.

    python recipes/plain_nouns.py ../shared/data/trees -o src/polyglitch/languages/pt/plain_nouns.txt

Behind a "não" such a noun is a slip for "no": of 15,059 sentences that people wrote one has such a word there. From
treebanks come nouns that stand behind a masculine article and are hardly anything else, from frequency lists words in
"o" that have a plural, no feminine and no verb beside them. Nouns of what is done ("o não pagamento") and of who does
it ("os não fumadores") may well be denied, and are left out.
"""

from __future__ import annotations

import argparse
import gzip
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.words import frequencies, wordfreq

ARTICLES = "o um este esse aquele meu seu nosso outro mesmo primeiro segundo último próximo"
DEEDS = re.compile(r"mento$|(dor|tor|sor|nte|ista|ário|ência|ismo)$")
NO_DEEDS = (
    "momento departamento apartamento orçamento parlamento documento monumento elemento segmento "
    "regulamento testamento sacramento temperamento fragmento instrumento argumento cimento "
    "alimento medicamento acampamento estacionamento casamento lançamento armário salário horário "
    "calendário aniversário formulário dicionário cenário diário corredor computador elevador "
    "setor motor continente ambiente recipiente restaurante instante volante acidente incidente"
)
PARTICIPLE = re.compile(r"[ai]do$")  # "não licenciado" is a driver without a licence
NO_PARTICIPLES = (
    "lado mercado estado eleitorado condado telhado teclado gramado machado gado fado sábado "
    "reinado consulado vestido tecido sentido líquido partido ouvido marido fígado ruído fluido "
    "óxido ácido soldado sobrado senado advogado feriado"
)
ADJECTIVE = re.compile(r"([aiu]do|ndo|ivo|oso|ico|sto|to|[aei]mo)$")
MOSTLY, VERBAL = 0.85, 0.3  # of a word's tags in the treebanks
INFINITIVE, SEEN, PLURAL, FEMININE, ABROAD = 2.3, 2.5, 1.5, 1.3, 0.6  # on Zipf's scale
WORDS = 60_000  # of the frequency list

BY_HAND = "chá telhado menu xarope leite todo total mar sul norte leste oeste"
# Read by eye: adjectives ("não criativo"), forms of verbs ("não receio"), who is outside ("país não membro"), slurs.
LEFT_OUT = """
    abono advogado aluno ancestral anseio atleta avesso baldio beduíno bloqueio búlgaro caralho
    cessar cidadão combustível comercio comoriano complexo contencioso crasso crespo criativo
    criminoso crioulo culto custeio desenrolar dever direitinho editorial encrave enigmático
    eslovaco espantoso expiatório exterior franco freio fugitivo general germânico grosso grotesco
    hetero homo hétero impresso imóvel incômodo indicativo inimaginável interior islamita jordaniano
    lateral leigo major material membro metal mexicano navajo nazareno nordestino novato objectivo
    objecto objetivo objeto olfativo oval palestiniano paneleiro par paralítico passeio peitinho
    periódico plástico porno puteiro qualificativo queniano rabinho rateio receio recheio recreio
    reflexo rodeio santo saudoso sedativo soldado sorteio suiço sócio tecido terminal timorense
    triangular uruguaio vernáculo viadinho zen zimbabweano ácido índio
"""

Tags = dict[str, Counter[str]]


def sentences(folder: Path) -> Iterator[list[tuple[str, str]]]:
    """Words and their parts of speech."""
    for path in sorted(folder.glob("ud_pt_*.conllu.gz")):
        rows: list[tuple[str, str]] = []
        for line in gzip.decompress(path.read_bytes()).decode("utf-8").splitlines():
            fields = line.rstrip("\n").split("\t")
            if len(fields) > 3 and fields[0].isdigit():
                rows.append((fields[1], fields[3]))
            elif not line.strip():
                yield rows
                rows = []


def is_verb(word: str, tags: Tags) -> bool:
    """Whether a word may be a form of a verb: there is an infinitive to it."""
    common = frequencies("pt") or (lambda _: 0.0)
    if word.endswith("ão") and re.search(r"[aei]r$", word[:-2]):
        return True  # "verão"
    if word[-1] not in "oea":
        return False
    stems = {word[:-1] + ending for ending in ("ar", "er", "ir", "ear", "iar")}
    for written, spoken in (
        ("que", "car"),
        ("gue", "gar"),
        ("ce", "çar"),
        ("ço", "cer"),
        ("jo", "ger"),
    ):
        stems |= {word.removesuffix(written) + spoken} if word.endswith(written) else set()
    for infinitive in stems:
        known = tags.get(infinitive)
        verbal = known is None or known["VERB"] >= VERBAL * known.total()
        if verbal and common(infinitive) >= INFINITIVE:
            return True
    return word.endswith("io") and common(word[:-2] + "iar") >= INFINITIVE


def of_treebanks(folder: Path) -> tuple[set[str], Tags]:
    """Nouns behind masculine articles, and all tags."""
    tags: Tags = defaultdict(Counter)
    masculine: Counter[str] = Counter()
    for rows in sentences(folder):
        for (before, _), (word, tag) in zip([("", ""), *rows], rows, strict=False):
            tags[word.lower()][tag] += 1
            masculine[word.lower()] += before.lower() in ARTICLES.split() and tag == "NOUN"
    found = set()
    for word, told in tags.items():
        mostly = told["NOUN"] >= MOSTLY * max(1, told.total() - told["PROPN"])
        plain = word.isalpha() and len(word) > 2 and not word.endswith("s")
        denied = DEEDS.search(word) and word not in NO_DEEDS.split()
        denied = denied or (PARTICIPLE.search(word) and word not in NO_PARTICIPLES.split())
        if mostly and masculine[word] and plain and not denied and not is_verb(word, tags):
            found.add(word)
    return found, tags


def of_frequencies(tags: Tags) -> set[str]:
    """Words in "o" with a plural and neither a feminine nor a verb."""
    common, spanish = frequencies("pt"), frequencies("es")
    closed = language_of("pt").function_words
    assert common is not None and spanish is not None
    found = set()
    for word in wordfreq().top_n_list("pt", WORDS):
        if not word.isalpha() or not word.endswith("o") or len(word) < 4 or word in closed:
            continue
        told = tags.get(word)
        other = told is not None and told["NOUN"] < 0.5 * told.total()
        formed = ADJECTIVE.search(word) or DEEDS.search(word) or word.endswith("ão")
        own = common(word)
        alone = common(word + "s") >= PLURAL and common(word[:-1] + "a") <= own - FEMININE
        at_home = own >= SEEN and spanish(word) <= own + ABROAD
        if alone and at_home and not other and not formed and not is_verb(word, tags):
            found.add(word)
    return found


def main() -> None:
    """Write the list."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("trees", type=Path)
    options.add_argument("-o", "--output", type=Path, required=True)
    chosen = options.parse_args()
    found, tags = of_treebanks(chosen.trees)
    found |= of_frequencies(tags) | {*BY_HAND.split()}
    words = " ".join(sorted(found - {*LEFT_OUT.split()}))
    head = (
        '# Masculine singular nouns that are no verb form and no adjective: behind "não" a slip for "no".\n'
        "# Words of UD Portuguese and of wordfreq (both CC BY-SA 4.0), chosen by recipes/plain_nouns.py.\n"
    )
    chosen.output.write_text(head + textwrap.fill(words, 120) + "\n", "utf-8")


if __name__ == "__main__":
    main()
