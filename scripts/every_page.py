#!/usr/bin/env python
"""Find every page of the running product, photograph it in every look, and measure it.

Start the product (`make run`), wait until the demo's day is told, and then:

    .venv/bin/python scripts/every_page.py http://127.0.0.1:8000 --to pictures

Each role of the demo follows every link from its dashboard; of pages that differ in a number only, the first
is taken, and a page that has nothing in it which another role did not see there is not looked at twice. Then
each page is opened at two widths, light and dark, in English and Thai. What overlaps, is cut off, shifts, is
found by axe, complains in the console or takes the server longer than 400 ms is written out, and then the
status is 1.
"""

import argparse
import re
import sys
from collections import defaultdict, deque
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

from looks import LOOKS, Look, faults_of, keep, signed_in
from playwright.sync_api import APIResponse, Browser, BrowserContext, Page, sync_playwright

from casino.roles import DEMO_PEOPLE
from tests.browser.chromium import ARGUMENTS, CHROMIUM

LOGINS = [person.login for person in DEMO_PEOPLE if person.login == person.role]  # one for each role
MOST_MS = 400
TRIES = 3  # the quickest counts: other processes want the machine too
BUILT_OF = (
    "() => [...new Set([...document.querySelectorAll('main *')].map((each) => each.className))].map(String)"
)
LINKS = "() => [...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))"
ANSWERED_AFTER = """
() => {
  const way = performance.getEntriesByType('navigation')[0];
  return way.responseStart - way.requestStart;
}
"""


def kind_of(address: str) -> str:
    """Return what an address has in common with those that differ only in a number or a value asked for.

    >>> kind_of("/admin/tables/round/17/change/?bets=refused")
    '/admin/tables/round/#/change/?bets'
    """
    parts = urlsplit(address)
    asked = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return re.sub(r"(?<=end-session/)\w+|\d+", "#", parts.path) + ("?" + "&".join(asked) if asked else "")


class Found(NamedTuple):
    """A page, and the classes of what it is built of: what no other role saw there has to be looked at."""

    address: str
    built_of: frozenset[str]


def pages_for(context: BrowserContext, url: str) -> dict[str, Found]:
    """Follow every link from the dashboard, and return a page of each kind."""
    found: dict[str, Found] = {}
    known = {"/admin/"}
    waiting = deque(known)
    page = context.new_page()
    while waiting:
        address = waiting.popleft()
        page.goto(url + address)
        found[kind_of(address)] = Found(address, frozenset(page.evaluate(BUILT_OF)))
        for link in page.evaluate(LINKS):
            follows = urldefrag(urljoin(url + address, link)).url.removeprefix(url)
            kind = kind_of(follows)
            # A list narrowed twice is the list again.
            if not follows.startswith("/") or kind in known or ("?" in address and "?" in follows):
                continue
            known.add(kind)
            answer = context.request.get(url + follows)
            if not answer.ok:
                print(f"{address} leads to {follows}: {answer.status}", flush=True)
            elif is_page(answer):
                waiting.append(follows)
    page.close()
    return found


def is_page(answer: APIResponse) -> bool:
    """Tell whether an answer is a page rather than a file to be kept."""
    kept = "attachment" in answer.headers.get("content-disposition", "")
    return "html" in answer.headers.get("content-type", "") and not kept


def look_at(page: Page, address: str) -> list[str]:
    """Open a page and return what is wrong with it."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    took = []
    while len(took) < TRIES and (not took or min(took) > MOST_MS):
        page.goto(address)
        took.append(float(page.evaluate(ANSWERED_AFTER)))
    page.wait_for_load_state("networkidle")
    slow = [f"answered after {min(took):.0f} ms"] if min(took) > MOST_MS else []
    return [*slow, *complaints, *faults_of(page)]


def name_of(kind: str) -> str:
    """Return a file's name for a kind of page."""
    words = re.findall(r"[a-z0-9]+", kind.removeprefix("/admin").lower().replace("#", "n"))
    return "-".join(words) or "dashboard"


def every_look(browser: Browser, url: str, folder: Path, looks: list[Look], logins: list[str]) -> int:
    """Photograph and measure each page of each role, and return how many faults there are."""
    faults, seen = 0, defaultdict[str, set[str]](set)
    for login in logins:
        finding = signed_in(browser, url, login, LOOKS[0])
        pages = pages_for(finding, url)
        finding.close()
        new = {kind: page for kind, page in pages.items() if not page.built_of <= seen[kind]}
        for kind, page in new.items():
            seen[kind] |= page.built_of
        print(f"{login}: {len(pages)} pages, {len(new)} of them as nobody before saw them", flush=True)
        for look in looks:
            context = signed_in(browser, url, login, look)
            for kind, (address, _built_of) in new.items():
                page = context.new_page()
                for fault in look_at(page, url + address):
                    faults += 1
                    print(f"{login} {address} {look.name}: {fault}", flush=True)
                keep(page, folder / f"{name_of(kind)}-{login}-{look.name}.png", look)
                page.close()
            context.close()
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="where the product runs, as make run prints it")
    parser.add_argument("--to", type=Path, required=True, help="the folder for the pictures")
    parser.add_argument("--looks", nargs="*", choices=[look.name for look in LOOKS], help="only these")
    parser.add_argument("--as", nargs="*", dest="logins", default=LOGINS, help="only as these of the demo")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    looks = [look for look in LOOKS if not options.looks or look.name in options.looks]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        faults = every_look(browser, options.url.rstrip("/"), options.to, looks, options.logins)
        browser.close()
    print(f"{faults} faults" if faults else "nothing is wrong with any page")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
