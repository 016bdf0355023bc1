"""Thai is complete: every message of the code is in the catalogue, translated, and it is compiled."""

import ast
import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.password_validation import password_validators_help_texts, validate_password
from django.core.exceptions import ValidationError
from django.utils import translation

from casino.runtime.places import ROOT

FOLDER = ROOT / "locale" / "th" / "LC_MESSAGES"
CALLS = {"_", "gettext", "gettext_lazy", "ngettext", "pgettext", "pgettext_lazy"}
WITH_CONTEXT = {"pgettext", "pgettext_lazy"}
CONTEXT_END = "\x04"


def catalogue() -> dict[str, str]:
    """Read the compiled catalogue as it is used."""
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    # A plural's key is (message, form).
    found = compiled._catalog.items()  # type: ignore[attr-defined]
    return {key if isinstance(key, str) else key[0]: value for key, value in found}


def source_catalogue() -> tuple[dict[str, str], list[str]]:
    """Read the catalogue's source: its translations, and the entries marked as doubtful."""
    found: dict[str, str] = {}
    fuzzy: list[str] = []
    for block in (FOLDER / "django.po").read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        parts: dict[str, str] = {}
        name = ""
        for line in lines:
            keyword, quote, rest = line.partition('"')
            name = keyword.strip() or name
            parts[name] = parts.get(name, "") + ast.literal_eval(quote + rest)
        key = (parts["msgctxt"] + CONTEXT_END if "msgctxt" in parts else "") + parts.get("msgid", "")
        found[key] = parts.get("msgstr", parts.get("msgstr[0]", ""))
        if "fuzzy" in block.split("msgid")[0]:
            fuzzy.append(key)
    return found, fuzzy


def messages_of_python(path: Path) -> Iterator[str]:
    """Find the messages a module asks for."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in CALLS:
            continue
        texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if node.func.id in WITH_CONTEXT and len(texts) == 2:
            yield texts[0] + CONTEXT_END + texts[1]
        elif texts:
            yield texts[0]


def messages_of_template(path: Path) -> Iterator[str]:
    """Find the messages a template asks for, blocks with their variables as Python writes them."""
    text = path.read_text(encoding="utf-8")
    for message, context in re.findall(r'{% translate "([^"]+)"(?: context "([^"]+)")?', text):
        yield (context + CONTEXT_END if context else "") + message
    for block in re.findall(r"{% blocktranslate[^%]*%}(.*?){% endblocktranslate %}", text, re.DOTALL):
        singular = re.split(r"{% plural %}", block)[0]
        yield re.sub(r"{{ (\w+) }}", r"%(\1)s", singular)


def wanted() -> set[str]:
    found: set[str] = set()
    for app in ("tables", "audit", "casino"):
        for path in (ROOT / app).rglob("*.py"):
            if "migrations" not in path.parts and "gettext" in path.read_text(encoding="utf-8"):
                found |= set(messages_of_python(path))
    for path in (ROOT / "templates").rglob("*.html"):
        found |= set(messages_of_template(path))
    return found


def test_the_compiled_catalogue_is_that_of_its_source() -> None:
    source, _fuzzy = source_catalogue()
    translated = {key: value for key, value in source.items() if value and key}
    compiled = {key: value for key, value in catalogue().items() if key}
    assert compiled == translated


def test_nothing_is_left_untranslated_or_doubtful() -> None:
    source, fuzzy = source_catalogue()
    assert [key for key, value in source.items() if key and not value] == []
    assert fuzzy == []


def test_every_message_of_the_code_is_in_the_catalogue() -> None:
    missing = sorted(wanted() - set(catalogue()))
    assert missing == [], f"{len(missing)} messages want Thai"


@pytest.mark.parametrize("key", ["Rounds", "Player wins", "person" + CONTEXT_END + "Player"])
def test_the_extraction_sees_each_way_of_asking(key: str) -> None:
    assert key in wanted()


def test_a_translation_keeps_the_values_of_its_message() -> None:
    source, _fuzzy = source_catalogue()
    name = re.compile(r"%\(\w+\)[0-9]*[sd]")
    for key, value in source.items():
        if key:
            message = key.split(CONTEXT_END)[-1]
            assert sorted(name.findall(message)) == sorted(name.findall(value)), message


#: "Player" and "Banker" are hands; people who play are spoken of by the same word.
PEOPLE = {
    "player",
    "players",
    "Players",
    "person" + CONTEXT_END + "Player",
    "person" + CONTEXT_END + "Players",
}


def glossary() -> Iterator[tuple[str, list[str]]]:
    """Read the glossary: each term, and the Thai words it may be shown by."""
    rows = re.findall(
        r"^\| ([^|]+) \| ([^|]+) \|",
        (ROOT / "docs" / "GLOSSARY.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    for terms, thai in rows[2:]:
        words = [word.strip() for word in thai.split(",")]
        for number, term in enumerate(terms.split(",")):
            yield term.strip(), words if len(words) != terms.count(",") + 1 else [words[number]]


def test_a_term_of_the_glossary_is_shown_by_its_thai_word() -> None:
    source, _fuzzy = source_catalogue()
    by_term = list(glossary())
    assert len(by_term) > 90
    wrong, looked_at = [], 0
    for term, words in by_term:
        for key, value in source.items():
            if key in PEOPLE or key.split(CONTEXT_END)[-1].lower() not in (term.lower(), f"{term}s".lower()):
                continue
            looked_at += 1
            if not any(word in value for word in words):
                wrong.append(f"{term}: {value!r} of {key!r} is none of {words}")
    assert wrong == []
    assert looked_at > 60


#: Of the libraries' own words those that our pages show and that have no Thai there.
OF_LIBRARIES = (
    "Please enter your old password, for security’s sake, and then enter your new password twice so we can "
    "verify you typed it in correctly.",
    "Enter the same password as before, for verification.",
    "The password is too similar to the %(verbose_name)s.",
    "Ensure this value has at least %(limit_value)d character (it has %(show_value)d).",
    "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
    "Null characters are not allowed.",
    "Enter a complete value.",
)


@pytest.mark.parametrize("message", OF_LIBRARIES)
def test_what_libraries_say_is_said_in_thai(message: str) -> None:
    with translation.override("th"):
        said = {translation.gettext(message), translation.ngettext(message, message, 3)}
    assert any(re.search("[ก-๙]", each) for each in said), said


def test_the_rules_of_passwords_are_said_in_thai() -> None:
    with translation.override("th"):
        rules = password_validators_help_texts()
        with pytest.raises(ValidationError) as refused:
            validate_password("1234")
    assert (len(rules), len(refused.value.messages)) == (4, 3)  # too short, too common, nothing but figures
    assert all(re.match("[ก-๙]", each) for each in [*rules, *refused.value.messages])
