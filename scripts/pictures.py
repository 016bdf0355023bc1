#!/usr/bin/env python
"""Photograph the pages of play and decisions as the running product draws them, and measure each of them.

Start the product (`make run`), wait until the demo's day is told, and then:

    .venv/bin/python scripts/pictures.py http://127.0.0.1:8000

Every page is opened at two widths, light and dark, in English and Thai. What lies on other text, is cut off,
overflows, shifts or is found by axe is written out, and then the status is 1. A representative few are kept
in docs/pictures. Requests expire: where no correction waits any more, the supervisor asks for one first.
`scripts/every_page.py` goes through all the pages there are.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path

from looks import LOOKS, ROOT, faults_of, keep, signed_in
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tables.rules.cards import Card
from tables.rules.drawing import DEAL_ORDER, Coup, IllegalCoup, Place, arrange
from tests.browser.chromium import ARGUMENTS, CHROMIUM

#: Where a page is found: whose it is, and the way to it from an address of the product.
Way = Callable[[Page, str], str]


def at(path: str) -> Way:
    """Go straight to an address."""
    return lambda page, url: path


def first_of(*lists: str) -> Way:
    """Go to the first record of a list; where it is empty, of the next list."""

    def find(page: Page, url: str) -> str:
        for listed in lists:
            page.goto(url + listed)
            records = page.locator("tbody th a")
            if records.count():
                return records.first.get_attribute("href") or ""
        raise SystemExit(f"nothing to photograph: no record is listed at {' or '.join(lists)}")

    return find


def from_first_of(listed: str, link: str) -> Way:
    """Go where a link on the first record's page leads."""

    def find(page: Page, url: str) -> str:
        page.goto(url + first_of(listed)(page, url))
        return page.locator(link).first.get_attribute("href") or ""

    return find


REQUESTED = "/admin/audit/ruling/?status=requested&kind=correct"
DECKS = 8


def waiting_correction(page: Page, url: str) -> str:
    """Go to a correction that waits for its decision; if none does, let the supervisor ask for one."""
    page.goto(url + REQUESTED)
    if not page.locator("tbody th a").count():
        assert page.context.browser is not None
        asking = signed_in(page.context.browser, url, "supervisor", LOOKS[0])
        ask_for_a_correction(asking.new_page(), url)
        asking.close()
    return first_of(REQUESTED)(page, url)


def ask_for_a_correction(page: Page, url: str) -> None:
    """Ask to lay two cards of a settled round the other way round."""
    page.goto(url + "/admin/tables/round/?table=B04&status=settled")
    rounds = [link.get_attribute("href") or "" for link in page.locator("tbody th a").all()]
    for one in rounds:
        page.goto(url + one)
        page.locator("a[href*='kind=correct']").first.click()
        page.wait_for_load_state("networkidle")
        lying = {
            place.value: page.locator(f"#place-{place.value}").input_value()
            for place in DEAL_ORDER
            if page.locator(f"#place-{place.value}").count()
        }
        swapped = other_way_round({place: card for place, card in lying.items() if card})
        if not swapped or page.locator("#ask .is-waits").count():
            continue
        for place, card in swapped.items():
            page.fill(f"#place-{place}", card)
        page.fill("#reason", "The screen is right: the cards were scanned as they came.")
        page.locator("#ask-seen .is-marked").nth(
            3
        ).wait_for()  # two cards, drawn before and after: it was seen
        page.locator("button[value=ask]").click()
        page.wait_for_url("**/ruling/*/change/")
        return
    raise SystemExit("nothing to photograph: no round of B04 may have been dealt otherwise")


def other_way_round(lying: Mapping[str, str]) -> dict[str, str]:
    """Return two places of a coup and the cards they have when swapped, so that another side wins.

    Empty if no swap does that.
    """
    dealt = coup_of(lying)
    for one, other in combinations(reversed(list(lying)), 2):
        swapped = {one: lying[other], other: lying[one]}
        try:
            if coup_of({**lying, **swapped}).outcome is not dealt.outcome:
                return swapped
        except IllegalCoup:
            continue
    return {}


def coup_of(lying: Mapping[str, str]) -> Coup:
    """Read cards by place as a coup."""
    return arrange({Place(at): Card.parse(card) for at, card in lying.items()}, DECKS)


def report_of_a_round(page: Page, url: str) -> str:
    """Report a dropped card of a round, with the facts that decide answered and the remedy shown."""
    page.goto(url + first_of("/admin/tables/round/?table=B05&status=settled")(page, url))
    report = page.locator("a[href*='/incident/report/']").first.get_attribute("href") or ""
    return f"{report}&code=card_dropped_unseen&off_table=yes&round_running=yes"


def range_of_a_shoe(page: Page, url: str) -> str:
    """Look at what a void of six rounds would touch."""
    shoe = first_of("/admin/tables/shoe/?table=B03")(page, url).split("/")[-3]
    return f"/admin/audit/ruling/ask/?shoe={shoe}&kind=void_range&from=12&to=17"


APPLIED = "/admin/audit/ruling/?status=applied&kind=correct"
PAGES: dict[str, tuple[str, Way]] = {
    "ruling": ("manager", waiting_correction),  # first: what is asked for waits on the dashboard
    "dashboard": ("manager", at("/admin/")),
    "applied": ("manager", first_of(APPLIED)),
    "stopped": ("manager", first_of("/admin/audit/ruling/?status=stopped")),
    "rulings": ("manager", at("/admin/audit/ruling/")),
    "incident": (
        "manager",
        first_of("/admin/audit/incident/?status=open&source=person", "/admin/audit/incident/"),
    ),
    "report": ("supervisor", report_of_a_round),
    "range": ("supervisor", range_of_a_shoe),
    "round": ("manager", from_first_of(APPLIED, ".bc-page-facts a.bc-id")),
    "revisions": ("manager", from_first_of(APPLIED, ".bc-page-facts a.bc-id")),
    "notice": ("manager", first_of("/admin/audit/notice/")),
    "change": (
        "manager",
        first_of("/admin/audit/setupchange/?status=requested", "/admin/audit/setupchange/"),
    ),
    "shoe": ("manager", first_of("/admin/tables/shoe/?table=B03")),
    "table": ("manager", first_of("/admin/tables/gametable/?q=B03")),
    "rulebook": ("auditor", first_of("/admin/tables/rulebook/?q=insurance")),
}
KEPT = {
    "dashboard": ("1280-light-en", "390-dark-th"),
    "ruling": ("1280-light-en", "1280-dark-th", "390-light-en"),
    "stopped": ("1280-dark-en",),
    "incident": ("390-light-th",),
    "report": ("1280-light-en", "390-light-en"),
    "range": ("1280-light-en",),
    "round": ("1280-light-en",),
    "revisions": ("1280-light-en",),
    "change": ("1280-light-en",),
    "shoe": ("1280-light-en", "390-dark-th"),
    "rulebook": ("1280-light-en",),
}


def photograph(browser: Browser, url: str, folder: Path, only: list[str], *, is_brief: bool) -> int:
    """Measure every page in every look, keep some pictures, and return how many faults there are.

    Briefly, only the looks that are kept are looked at.
    """
    faults = 0
    for look in LOOKS:
        contexts: dict[str, BrowserContext] = {}
        for name, (login, way) in PAGES.items():
            is_kept = look.name in KEPT.get(name, ())
            if (only and name not in only) or (is_brief and not is_kept):
                continue
            if login not in contexts:
                contexts[login] = signed_in(browser, url, login, look)
            page = contexts[login].new_page()
            path = way(page, url)
            if name == "revisions":
                path = path.replace("/change/", "/revisions/")
            page.goto(url + path)
            page.wait_for_load_state("networkidle")
            for fault in faults_of(page):
                faults += 1
                print(f"{name} {look.name}: {fault}", flush=True)
            if is_kept:
                keep(page, folder / f"{name}-{look.name}.png", look)
                print(f"{name}-{look.name}.png", flush=True)
            page.close()
        for context in contexts.values():
            context.close()
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="where the product runs, as make run prints it")
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "pictures")
    parser.add_argument("--only", nargs="*", default=[], choices=PAGES)
    parser.add_argument("--brief", action="store_true", help="only the looks of which pictures are kept")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        faults = photograph(
            browser, options.url.rstrip("/"), options.to, options.only, is_brief=options.brief
        )
        browser.close()
    print(f"{faults} faults" if faults else "nothing overlaps, nothing is cut off")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
