#!/usr/bin/env python
"""Find every page of the running product, photograph it in every look, and measure it.

Start the product (`make run`), wait until the demo's day is told, and then:

    .venv/bin/python scripts/every_page.py http://127.0.0.1:8000 --to pictures

Each role of the demo follows every link from its dashboard; of pages that differ in a number only, the first
is taken. Then each page is opened at two widths, light and dark, in English and Thai. What overlaps, is cut
off, shifts, is found by axe, complains in the console or takes the server longer than 400 ms is written out,
and then the status is 1.
"""

import argparse
import re
import sys
from collections import deque
from pathlib import Path
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

from looks import LOOKS, Look, faults_of, keep, signed_in
from playwright.sync_api import APIResponse, Browser, BrowserContext, Page, sync_playwright

from casino.roles import DEMO_PEOPLE
from tests.browser.chromium import ARGUMENTS, CHROMIUM

LOGINS = [person.login for person in DEMO_PEOPLE if person.login == person.role]  # one for each role
MOST_MS = 400
TRIES = 3  # the quickest counts: other processes want the machine too
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
    return re.sub(r"\d+", "#", parts.path) + ("?" + "&".join(asked) if asked else "")


def pages_for(context: BrowserContext, url: str) -> dict[str, str]:
    """Follow every link from the dashboard, and return an address for each kind of page."""
    found = {"/admin/": "/admin/"}
    waiting = deque(["/admin/"])
    page = context.new_page()
    while waiting:
        address = waiting.popleft()
        page.goto(url + address)
        for link in page.evaluate(LINKS):
            follows = urldefrag(urljoin(url + address, link)).url.removeprefix(url)
            kind = kind_of(follows)
            # A list narrowed twice is the list again.
            if not follows.startswith("/") or kind in found or ("?" in address and "?" in follows):
                continue
            answer = context.request.get(url + follows)
            found[kind] = follows if is_page(answer) else ""
            if not answer.ok:
                print(f"{address} leads to {follows}: {answer.status}", flush=True)
            elif found[kind]:
                waiting.append(follows)
    page.close()
    return {kind: address for kind, address in found.items() if address}


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


def every_look(browser: Browser, url: str, folder: Path, looks: list[Look]) -> int:
    """Photograph and measure each page of each role, and return how many faults there are."""
    faults, seen = 0, set[str]()
    for login in LOGINS:
        finding = signed_in(browser, url, login, LOOKS[0])
        pages = {kind: at for kind, at in pages_for(finding, url).items() if kind not in seen}
        finding.close()
        seen |= pages.keys()
        print(f"{login}: {len(pages)} pages that nobody before could see", flush=True)
        for look in looks:
            context = signed_in(browser, url, login, look)
            for kind, address in pages.items():
                page = context.new_page()
                for fault in look_at(page, url + address):
                    faults += 1
                    print(f"{login} {address} {look.name}: {fault}", flush=True)
                keep(page, folder / f"{name_of(kind)}-{look.name}.png", look)
                page.close()
            context.close()
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="where the product runs, as make run prints it")
    parser.add_argument("--to", type=Path, required=True, help="the folder for the pictures")
    parser.add_argument("--looks", nargs="*", choices=[look.name for look in LOOKS], help="only these")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    looks = [look for look in LOOKS if not options.looks or look.name in options.looks]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        faults = every_look(browser, options.url.rstrip("/"), options.to, looks)
        browser.close()
    print(f"{faults} faults" if faults else "nothing is wrong with any page")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
