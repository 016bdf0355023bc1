"""What is measured on a page: whether it overflows, whether texts lie on each other, what axe finds."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Lines of text are compared by the boxes of the text itself, not of the elements around it.
OVERLAPS = """
() => {
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.textContent.trim()) continue;
    const holder = node.parentElement;
    if (holder.closest('svg, script, style, option, .bc-hidden-text, .bc-skip')) continue;
    if (!holder.checkVisibility({checkOpacity: true, checkVisibilityCSS: true})) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 2 || box.height < 2) continue;
      // What a scrolling or clipping box around it hides is not seen.
      let clip = {left: -1e9, right: 1e9, top: -1e9, bottom: 1e9};
      // What stays in the window while the page moves under it lies over the page by intent.
      let fixed = !!holder.closest('.bc-top');
      for (let up = holder; up; up = up.parentElement) {
        const style = getComputedStyle(up);
        fixed ||= style.position === 'fixed';
        if (style.overflowX !== 'visible' || style.overflowY !== 'visible') {
          const edge = up.getBoundingClientRect();
          clip = {left: Math.max(clip.left, edge.left), right: Math.min(clip.right, edge.right),
                  top: Math.max(clip.top, edge.top), bottom: Math.min(clip.bottom, edge.bottom)};
        }
      }
      const seen = {left: Math.max(box.left, clip.left), right: Math.min(box.right, clip.right),
                    top: Math.max(box.top, clip.top), bottom: Math.min(box.bottom, clip.bottom)};
      if (seen.right - seen.left < 2 || seen.bottom - seen.top < 2) continue;
      const text = node.textContent.trim().slice(0, 40);
      boxes.push({...seen, text, node, fixed});
    }
  }
  const found = [];
  for (let i = 0; i < boxes.length; i++) {
    for (let j = i + 1; j < boxes.length; j++) {
      const a = boxes[i], b = boxes[j];
      if (a.node === b.node || a.fixed !== b.fixed) continue;
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      // Line boxes of one paragraph touch; more than a third of a line is an overlap.
      if (across > 1.5 && down > 6) found.push(`${a.text} | ${b.text}`);
    }
  }
  return found.slice(0, 5);
}
"""

# Text that is cut off at the edge of a box that does not scroll.
CUT_OFF = """
() => [...document.querySelectorAll('main *')].filter((element) => {
  const may_scroll = 'svg, .bc-hidden-text, .bc-table-wrap, .bc-strip-wrap, pre';
  if (!element.childNodes.length || element.closest(may_scroll)) return false;
  const style = getComputedStyle(element);
  return style.overflowX === 'hidden' && element.scrollWidth > element.clientWidth + 1;
}).map((element) => `${element.className}: ${element.textContent.trim().slice(0, 40)}`).slice(0, 5)
"""

# What a field holds and does not show: a day's time, the end of a chosen name.
CUT_FIELDS = """
() => [...document.querySelectorAll('main select, main input')].filter((field) => {
  if (!field.checkVisibility({checkVisibilityCSS: true})) return false;
  if (field.type.startsWith('date')) {
    const given = field.offsetWidth;
    field.style.width = 'auto';
    const wanted = field.offsetWidth;
    field.style.width = '';
    return wanted > given + 1;
  }
  if (field.tagName !== 'SELECT' || field.multiple || !field.selectedOptions.length) return false;
  const style = getComputedStyle(field);
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = style.font;
  const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return pen.measureText(field.selectedOptions[0].text).width > room + 1;
}).map((field) => `field ${field.name}: ${field.clientWidth} px`)
"""

# In a wide window there is room for every table; in a narrow one those scroll that say so.
SCROLLING_TABLES = """
() => [...document.querySelectorAll('.bc-table-wrap')]
  .filter((element) => window.innerWidth >= 1280 || !element.classList.contains('bc-may-scroll'))
  .filter((element) => element.scrollWidth > element.clientWidth + 1)
  .map((element) => `${element.scrollWidth} in ${element.clientWidth}`)
"""


def overflow_of(page: Page) -> int:
    """Return by how many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


def overlaps_of(page: Page) -> list[str]:
    """Return the texts that lie on each other."""
    return list(page.evaluate(OVERLAPS))


def cut_off_in(page: Page) -> list[str]:
    """Return the texts that a box cuts off, or a field."""
    return [*page.evaluate(CUT_OFF), *page.evaluate(CUT_FIELDS)]


def scrolling_tables_in(page: Page) -> list[str]:
    """Return the tables wider than their sheet."""
    return list(page.evaluate(SCROLLING_TABLES))


def serious_findings_of(page: Page) -> list[str]:
    """Return what axe finds that is serious or critical."""
    results: dict[str, Any] = Axe().run(page).response
    return [
        f"{finding['id']} ({finding['impact']}): {finding['nodes'][0]['html'][:160]}"
        for finding in results["violations"]
        if finding["impact"] in ("serious", "critical")
        or finding["id"] in ("region", "landmark-one-main", "page-has-heading-one", "list", "heading-order")
    ]
