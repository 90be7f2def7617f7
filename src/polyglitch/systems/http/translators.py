"""Translation services in their documented request shapes, one factory each.

`apy` is Apertium's server, `libretranslate`, `deepl`, `google` (Cloud Translation, basic) and `azure` are what they
are called. Each takes `SOURCE-TARGET`, and after an `@` the address of another server that speaks the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from polyglitch.records import Input, Output
from polyglitch.systems.answers import answer
from polyglitch.systems.apertium import two_letter_codes
from polyglitch.systems.http.api import (
    Address,
    Api,
    Call,
    Fault,
    Key,
    encode_json,
    find_key,
    language_pair,
    parse_address,
    same_count,
    two_letters,
    whole_number,
)
from polyglitch.systems.http.system import HttpSystem
from polyglitch.systems.http.template import follow

TOGETHER = 16  # texts a request: far below every service's bound, and few enough to ask again
JSON = {"Content-Type": "application/json"}
LIBRE_HOME = "https://libretranslate.com"
DEEPL_HOME, DEEPL_FREE = "https://api.deepl.com", "https://api-free.deepl.com"
GOOGLE_HOME = "https://translation.googleapis.com"
AZURE_HOME = "https://api.cognitive.microsofttranslator.com"


def open_libretranslate(rest: str, timeout: float) -> HttpSystem:
    """LibreTranslate: POST /translate; the key, where a server wants one, goes into the body."""
    address = parse_address("libretranslate", rest, LIBRE_HOME, ("together",))
    source, target = pair = language_pair(address.name, "libretranslate")
    key = find_key(address, "libretranslate", "LIBRETRANSLATE_API_KEY", LIBRE_HOME)
    fixed = {"source": source, "target": target, "format": "text"}
    fixed |= {"api_key": key.secret} if key.secret else {}

    def call(inputs: Sequence[Input]) -> Call:
        return Call(f"{address.base}/translate", encode_json({"q": texts(inputs), **fixed}), JSON)

    def read(data: Any, count: int) -> list[Output]:
        return outputs(same_count(follow(data, ("translatedText",)), count))

    return service("libretranslate", address, pair, key, call, read, 100, timeout)


def open_apy(rest: str, timeout: float) -> HttpSystem:
    """Apertium APY: GET /translate with langpair and q; unknown words come without a star."""
    address = parse_address("apy", rest, "", ())
    source, target = language_pair(address.name, "apy")
    fixed = {"langpair": f"{source}|{target}", "markUnknown": "no", "format": "txt"}

    def call(inputs: Sequence[Input]) -> Call:
        # As a form, which APY reads like a query: a long text fits no address line.
        form = urlencode({**fixed, "q": inputs[0].text}).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return Call(f"{address.base}/translate", form, headers)

    def read(data: Any, count: int) -> list[Output]:
        if (status := follow(data, ("responseStatus",))) != 200:
            raise Fault(f"status {status}: {data.get('responseDetails')!s:.80}", billed=True)
        return outputs([follow(data, ("responseData", "translatedText"))])

    codes = two_letter_codes(f"{source}-{target}")
    return HttpSystem(Api(signature("apy", address), call, read, languages=codes), timeout)


def open_deepl(rest: str, timeout: float) -> HttpSystem:
    """DeepL: POST /v2/translate; a key that ends in `:fx` belongs to the free address."""
    address = parse_address("deepl", rest, DEEPL_HOME, ("together",))
    source, target = pair = language_pair(address.name, "deepl")
    key = find_key(address, "deepl", "DEEPL_API_KEY", DEEPL_HOME)
    base = address.base
    if key.secret.endswith(":fx") and base == DEEPL_HOME:
        base = DEEPL_FREE
    fixed = {"source_lang": source.upper().partition("-")[0], "target_lang": target.upper()}
    headers = JSON | ({"Authorization": f"DeepL-Auth-Key {key.secret}"} if key.secret else {})

    def call(inputs: Sequence[Input]) -> Call:
        body = encode_json({"text": texts(inputs), **fixed})
        return Call(f"{base}/v2/translate", body, headers)

    def read(data: Any, count: int) -> list[Output]:
        rows = same_count(follow(data, ("translations",)), count)
        return outputs([follow(row, ("text",)) for row in rows])

    return service("deepl", address, pair, key, call, read, 50, timeout)


def open_google(rest: str, timeout: float) -> HttpSystem:
    """Google Cloud Translation, basic: POST /language/translate/v2, the key in a header."""
    address = parse_address("google", rest, GOOGLE_HOME, ("together",))
    source, target = pair = language_pair(address.name, "google")
    key = find_key(address, "google", "GOOGLE_API_KEY", GOOGLE_HOME)
    # In a header, not as ?key=: an address ends up in logs on the way.
    headers = JSON | ({"X-Goog-Api-Key": key.secret} if key.secret else {})

    def call(inputs: Sequence[Input]) -> Call:
        body = {"q": texts(inputs), "source": source, "target": target, "format": "text"}
        return Call(f"{address.base}/language/translate/v2", encode_json(body), headers)

    def read(data: Any, count: int) -> list[Output]:
        rows = same_count(follow(data, ("data", "translations")), count)
        return outputs([follow(row, ("translatedText",)) for row in rows])

    return service("google", address, pair, key, call, read, 128, timeout)


def open_azure(rest: str, timeout: float) -> HttpSystem:
    """Azure Translator 3.0: POST /translate; a regional resource names its region as well."""
    address = parse_address("azure", rest, AZURE_HOME, ("together", "region"))
    source, target = pair = language_pair(address.name, "azure")
    key = find_key(address, "azure", "AZURE_TRANSLATOR_KEY", AZURE_HOME)
    query = urlencode({"api-version": "3.0", "from": source, "to": target, "textType": "plain"})
    headers = dict(JSON)
    if key.secret:
        headers["Ocp-Apim-Subscription-Key"] = key.secret
    if region := address.options.get("region"):
        headers["Ocp-Apim-Subscription-Region"] = region

    def call(inputs: Sequence[Input]) -> Call:
        body = encode_json([{"Text": text} for text in texts(inputs)])
        return Call(f"{address.base}/translate?{query}", body, headers)

    def read(data: Any, count: int) -> list[Output]:
        rows = same_count(data, count)
        return outputs([follow(row, ("translations", 0, "text")) for row in rows])

    return service("azure", address, pair, key, call, read, 100, timeout)


def service(
    scheme: str,
    address: Address,
    pair: tuple[str, str],
    key: Key,
    call: Callable[[Sequence[Input]], Call],
    read: Callable[[Any, int], list[Output]],
    most: int,
    timeout: float,
) -> HttpSystem:
    """A service that takes several texts a request, at most so many."""
    together = whole_number(address, "together", TOGETHER, most)
    api = Api(signature(scheme, address), call, read, key, two_letters(pair), together)
    return HttpSystem(api, timeout)


def signature(scheme: str, address: Address) -> str:
    """Service, languages and address: nothing of keys or limits, which change no answer."""
    return f"{scheme}:{address.name}@{address.base}"


def texts(inputs: Sequence[Input]) -> list[str]:
    """The texts of some inputs."""
    return [item.text for item in inputs]


def outputs(found: Sequence[Any]) -> list[Output]:
    """An output for each translation."""
    return [answer(text) for text in found]
