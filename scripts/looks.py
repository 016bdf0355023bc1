"""How the scripts here look at the running product: as whom, how wide, in which theme and language."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from casino.roles import DEMO_PASSWORD  # noqa: E402
from tests.browser.measures import (  # noqa: E402
    cut_off_in,
    overflow_of,
    overlaps_of,
    scrolling_tables_in,
    serious_findings_of,
)

HEIGHTS = {1280: 900, 390: 844}
MOST_HIGH = {1280: 1750, 390: 2000}  # of a picture that is kept
LANGUAGES = ("en", "th")


@dataclass(frozen=True, slots=True)
class Look:
    """How a page is looked at."""

    width: int
    theme: str
    language: str

    @property
    def name(self) -> str:
        return f"{self.width}-{self.theme}-{self.language}"


LOOKS = [Look(*each) for each in product(HEIGHTS, ("light", "dark"), LANGUAGES)]

# Shifts are added up from the first one on; axe and the measures come after the page has come to rest.
COUNT_SHIFTS = """
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.shifted = (window.shifted ?? 0) + entry.value;
  }
}).observe({type: 'layout-shift', buffered: true});
"""
# The menu lies beside the page and scrolls by itself.
WHOLE_HEIGHT = """
Math.max(document.documentElement.scrollHeight, document.querySelector('.bc-side')?.scrollHeight ?? 0)
"""
MOST_SHIFTED = 0.01  # of the window, by the browser's own measure


def signed_in(browser: Browser, url: str, login: str, look: Look) -> BrowserContext:
    """Sign somebody of the demo in."""
    size = {"width": look.width, "height": HEIGHTS[look.width]}
    context = browser.new_context(viewport=size, reduced_motion="reduce")
    context.set_default_timeout(90_000)  # a machine under load draws slowly
    context.add_cookies([{"name": "django_language", "value": look.language, "url": url}])
    context.add_init_script(f"localStorage.adminTheme ??= '\"{look.theme}\"'")
    context.add_init_script(COUNT_SHIFTS)
    page = context.new_page()
    page.goto(f"{url}/admin/login/?next=/admin/")
    page.fill("[name=username]", login)
    page.fill("[name=password]", DEMO_PASSWORD)
    page.locator(".bc-plain-form button").click()
    page.wait_for_url(f"{url}/admin/")
    page.close()
    return context


def faults_of(page: Page) -> Iterator[str]:
    """Yield what is measured to be wrong with a page."""
    if (wide := overflow_of(page)) > 0:
        yield f"{wide} px too wide"
    if (shifted := float(page.evaluate("window.shifted ?? 0"))) > MOST_SHIFTED:
        yield f"its layout shifted by {shifted:.3f}"
    for text in overlaps_of(page):
        yield f"lies on each other: {text}"
    for text in cut_off_in(page):
        yield f"cut off: {text}"
    for text in scrolling_tables_in(page):
        yield f"a table scrolls: {text}"
    for text in serious_findings_of(page):
        yield f"axe: {text}"


def keep(page: Page, path: Path, look: Look) -> None:
    """Keep a picture of a page, no higher than is worth looking at.

    The window is made as high as the picture, so that the menu beside the page reaches to its end.
    """
    high = min(int(page.evaluate(WHOLE_HEIGHT)), MOST_HIGH[look.width])
    page.set_viewport_size({"width": look.width, "height": max(high, HEIGHTS[look.width])})
    page.screenshot(path=path, clip={"x": 0, "y": 0, "width": look.width, "height": high})
    page.set_viewport_size({"width": look.width, "height": HEIGHTS[look.width]})
