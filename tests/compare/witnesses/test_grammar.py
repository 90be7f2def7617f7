"""The grammar witness: words of one output that do not go together, and what must not be taken for that."""

from __future__ import annotations

import pytest

from polyglitch.compare.judge import Saved, trial_of
from polyglitch.compare.oracles.witnesses.changed_words import Statement
from polyglitch.compare.oracles.witnesses.grammar import GrammarWitness
from polyglitch.tools import Toolbox

pytestmark = pytest.mark.needs("spacy", "wordfreq")
SOURCES = ("The guards lit a fire.", "The guards lit a lamp.")


def said_of(first: str, second: str, target: str = "pt") -> Statement | None:
    one = trial_of(Saved("1", *SOURCES, first, second, "en", target))
    return GrammarWitness().hear([one], Toolbox(languages=("en", target)))[0]


@pytest.mark.parametrize(
    ("first", "second", "word"),
    [
        ("Os guardas abriram a porta.", "Os guardas abriu a porta.", "abriu"),
        ("As toalhas eram novas.", "As toalhas eram novos.", "novos"),
        ("Ela mora na casa bonita.", "Ela mora na casa amarelo.", "amarelo"),
        ("Havia alguns livros na mesa.", "Havia algumas livros na mesa.", "algumas"),
        ("O guarda fecha o portão.", "O guarda fechar o portão.", "fechar"),
        ("Eles quebraram o vaso.", "Eles quebrado o vaso.", "quebrado"),
        ("A viagem foi muito cara.", "A viagem foi muito caro.", "caro"),
        ("As crianças têm sono hoje.", "As crianças se sentem cansados hoje.", "cansados"),
        ("O livro que pedi chegou rasgado.", "A revista que pedi chegou rasgado.", "rasgado"),
        (
            "A carta não pode ser copiada.",
            "A carta cita dois autores e não pode ser copiado.",
            "copiado",
        ),
        ("A busca pela lancha perdida.", "A busca pela lancha perdido", "perdido"),
        ("Regras especiais incluem isso.", "Regras especiais não inclui a taxa.", "inclui"),
        # A parser takes these adjectives for nouns.
        ("As almofadas eram macias e largas.", "As almofadas eram fofo e largas.", "fofo"),
        ("As moças têm tontura ao sair.", "As moças se sentem tontos ao sair.", "tontos"),
        ("O sal deixa a geléia doce.", "O sal deixa a geléia fofo.", "fofo"),
        ("Lave as uvas antes de cortá-las.", "Lave as uvas antes de cortar-as.", "cortar-as"),
        ("Os fiscais o medem.", "Os fiscais medem-o.", "medem-o"),
        ("Ele saiu, embora a loja fechasse.", "Ele saiu, embora a loja fechou.", "fechou"),
        ("Ela riu, embora fosse tarde.", "Ela riu, embora era tarde.", "era"),
        ("Lave as mãos e seque a mesa.", "Lave as mãos e secar a mesa.", "secar"),
        ("Lavar as mãos e secar a mesa.", "Lavar as mãos e seque a mesa.", "seque"),
        # Determiners and their nouns.
        ("Choveu nas minhas alfaces.", "Choveu no meu alfaces.", "meu"),
        ("As minhas boas facas.", "O meu bom facas.", "meu"),
        ("Ela é a primeira diretora.", "Ela é a primeira maestro.", "primeira"),
        # Adjectives behind a word of degree, without a determiner, behind two nouns.
        ("Ele tem livros mais baratos.", "Ele tem livros mais barato.", "barato"),
        (
            "um secador de mãos mais silencioso",
            "um secador de mãos mais silenciosos",
            "silenciosos",
        ),
        ("Eu vi uma palestra chata ontem.", "Eu vi uma palestra tedioso ontem.", "tedioso"),
        ("Vinho caro, música alta e luz.", "Vinho caro, música barulhento e luz.", "barulhento"),
        # What verbs say, and what is joined with it.
        ("Os reis foram derrubados.", "Eles lutaram e foram derrubado.", "derrubado"),
        ("As senhoras foram gentis.", "As senhoras foram adorável.", "adorável"),
        ("Os cães são mansos.", "Os cães são treinados, mas amigável.", "amigável"),
        ("A rua é íngreme e lisa.", "A rua é íngreme e escorregadio.", "escorregadio"),
        ("Ele riu, e sua mãe está triste.", "Ele riu, e sua mãe está espantado.", "espantado"),
        (
            "Sua bicicleta será reparada por amigos e dada a uma família.",
            "Sua bicicleta será reparada por amigos e dadas a uma família.",
            "dadas",
        ),
        (
            "O juiz aceita que seu nome e sua aldeia serão publicados.",
            "O juiz aceita que seu nome e sua aldeia serão publicadas.",
            "publicadas",
        ),
        (
            "Homens presos foram levados para a rua exaustos.",
            "Homens presos foram levados para a rua cansado.",
            "cansado",
        ),
        ("A pizza chegou fria.", "A pizza chegou frio.", "frio"),
        # Verbs and their clauses.
        ("O quarto cheira a cola.", "O quarto cheira de cola.", "de"),
        ("Eu finalmente bati meu pai.", "Eu finalmente bater meu pai.", "bater"),
        ("Espere até que você reinicie.", "Espere até que você reiniciar o relógio.", "reiniciar"),
        ("Segure até que a luz pisque.", "Segure até que a luz pisca.", "pisca"),
        (
            "Nós provamos a geléia e decidimos que era boa.",
            "Nós provamos a geléia e decidiu que era boa.",
            "decidiu",
        ),
        ("A garantia acaba se for lavado.", "A garantia acaba se o motor para lavado.", "para"),
        ("A babá cancelou há dez minutos.", "A babá abandonada há dez minutos.", "abandonada"),
        # The other output tells that the word is a noun.
        ("o telhado", "Ele não trabalhará sozinho não telhado.", "não"),
        ("A carta está na gaveta.", "A carta está não armário.", "não"),
        ("A perda veio na primavera.", "A perda veio não verão.", "não"),
    ],
)
def test_the_word_at_fault_is_named(first: str, second: str, word: str) -> None:
    said = said_of(first, second)
    assert said is not None
    assert said.output == 1
    assert said.span is not None
    assert second[slice(*said.span)] == word
    assert f"'{word}'" in said.words


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # What a parser takes for something else.
        ("Ele talhou colheres ontem.", "O velho marinheiro esculpiu utensílios ontem."),
        ("O tradutor garante que leu.", "O tradutor justifica que leu."),
        ("Espere até que as bolhas tenham secado.", "Espere até que todas as bolhas sequem."),
        (
            "O aparelho aquece enquanto o mapa das rotas está sendo baixado.",
            "O aparelho aquece enquanto o mapa das trilhas para caminhadas está sendo baixado.",
        ),
        ("O pão pode dar-lhes dores fortes.", "O pão pode dar-lhes cólica dolorosa."),
        ("Os guardas abriram a porta.", "Os soldados abriram o portão."),
        # A noun that ends as a verb would, a name, and what a clause of its own tells.
        ("Ela riu, mas a família saiu.", "Ela riu, embora a família saísse."),
        ("Ela riu, mas Maria saiu.", "Ela riu, embora Maria saísse."),
        ("Ela riu, mas o rapaz que era novo saiu.", "Ela riu, embora o rapaz que era novo saísse."),
        # A noun behind a linking verb needs no form of its subject.
        ("As vilas eram belas.", "As vilas eram refúgio dos reis."),
        # A verb that a parser takes for a noun, and a masculine noun in "a".
        ("O povo pede médico.", "O povo de Olinda procura médico."),
        ("Há clima frio e vento.", "Há sistema novo e vento."),
        ("A torre era alta.", "A torre era apoio do exército."),
        ("A festa era longa.", "A festa era motivo de riso."),
        ("Pague a cada mês.", "Pague a cada ano calendário."),
        # Behind an object in another number it is said of the subject.
        ("Os dois deixaram o clube hoje.", "Os dois deixaram o clube juntos."),
        # Many write the number of what is counted.
        ("A maioria dos guardas veio.", "A maioria dos guardas vieram."),
        ("O problema é a chuva.", "O problema são as chuvas."),
        # An infinitive with its own subject is right behind these words.
        ("Espere o guarda, que fecha.", "Para o guarda fechar o portão, espere."),
        ("Se o guarda vem, saia.", "Se o guarda fechar o portão, saia."),
        # Both outputs have the error: it says nothing of the pair.
        ("As camas eram bons.", "As mesas eram bons."),
        ("Um clarão cinza forte.", "Um brilho cinza fino."),
        ("Devolva esse traje antes de sexta.", "Devolva esse vestido antes de sexta."),
        ("Abra a pasta nova.", "Abra a pasta lixo."),
        ("Ela traz um violino e não o toca.", "Ela traz uma flauta e não toca."),
        ("As mãos estavam limpas.", "As fotos estavam limpas."),
        ("A viagem foi cara.", "A viagem custou caro."),
        ("Ele passou a noite.", "Ele passou a semana gripado."),
        # The participle may be said of a clause, of another noun, or is as wrong in the other output.
        ("O chefe disse que foi decidido esperar.", "A empresa disse que foi decidido esperar."),
        ("O filho do dono contou que foi roubado.", "A filha do dono contou que foi roubado."),
        ("A revista que pedi chegou rasgado.", "A revista que pedi chegou sujo."),
        ("Ele lava e seca a mesa.", "Ele pode lavar e secar a mesa."),
        # Nouns in "s" that are no plurals, and a number.
        ("Comprei o livro.", "Comprei o lápis."),
        ("Peguei o carro.", "Peguei o ônibus."),
        ("Ele veio pelo mar.", "Ele veio pelo cais."),
        ("Custa vinte reais.", "Custa vinte e um reais."),
        # The adjective is said of the first noun, or of the second.
        ("Eles vendem barcos velhos.", "Eles vendem barcos de pesca velhos."),
        ("uma caixa de ovos frescos", "uma caixa de ovos bonita"),
        ("Eles tocam piano.", "Eles tocam guitarra juntos."),
        ("Os cursos são bons.", "Os cursos primário e secundário são bons."),
        # Said of what follows, of two nouns, in a fixed phrase.
        ("Foi dito que eles vêm.", "Foram ditas muitas coisas."),
        ("O pai e a mãe estão bem.", "O pai e a mãe estão cansados."),
        (
            "A mudança deve ser feita em inglês e assinada.",
            "A mudança deve ser feita por escrito e assinada.",
        ),
        ("A carta foi lida pelos filhos.", "A carta foi lida pelos filhos e guardada."),
        ("O nome e a idade são novos.", "A mãe e a aldeia são lembradas."),
        ("Eles foram levados à rua.", "Eles foram levados para a rua antiga."),
        ("A carta chegou hoje.", "A carta chegou rápido."),
        ("O quarto cheira a cola.", "O quarto cheira de longe a cola."),
        # A future that looks like the infinitive, a verb that needs no subject, a right subjunctive.
        ("Saia se você pode.", "Saia quando você terminar o jantar."),
        ("Nós saímos à noite.", "Nós saímos e começou a chover."),
        ("Espere até a noite.", "Espere até que ele coma."),
        ("Espere até a noite.", "Espere até que ela venda a casa."),
        ("Avise quando o motor parar.", "Avise quando o trem para aqui."),
        # A participle beside its noun, in a clause with a verb.
        ("A mulher chegou ontem.", "A mulher ferida chegou ontem."),
        # What is denied is a verb, or set against another noun.
        ("Ele não trabalha.", "Ele não trabalha no telhado."),
        ("Comprei o gato.", "Comprei um cão, não gato."),
        ("Ele avisa pelo menos dois dias antes.", "Ele avisa não menos de dois dias antes."),
    ],
)
def test_what_goes_together_or_is_shared_is_left_alone(first: str, second: str) -> None:
    assert said_of(first, second) is None


def test_a_language_without_the_lists_is_not_looked_at() -> None:
    assert said_of("Los guardias abrieron.", "Los guardias abrió.", "es") is None


@pytest.mark.parametrize(
    ("source", "tells"),
    [("Wait until the guard leaves the bar.", True), ("The guard was unpaid.", False)],
)
def test_a_source_excuses_a_negation_by_a_prefix_and_not_by_its_first_letters(
    source: str, tells: bool
) -> None:
    """Nor is "until" one that denies: "não bar" is a slip beside it, and "não pago" is none beside "unpaid"."""
    outputs = ("O guarda está não bar até sair.", "O guarda está no bar até sair.")
    one = trial_of(Saved("1", source, source + " ", *outputs, "en", "pt"))
    said = GrammarWitness().hear([one], Toolbox(languages=("en", "pt")))[0]
    assert bool(said and "não" in said.words) == tells
