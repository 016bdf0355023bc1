// The keyboard: `?` says the keys of this page, Ctrl and K goes anywhere, j and k walk the rows of a list.
// Every place these lead to has a link or a button of its own.
(() => {
  const help = document.getElementById("keys");
  const palette = document.getElementById("palette");
  if (!help || !palette) return;

  const isTyping = (target) =>
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
  const isOpen = () => document.querySelector("dialog[open]") !== null;
  const wordsOf = (element) => element.getAttribute("aria-label") || element.textContent.replace(/\s+/g, " ").trim();

  // What the page itself offers by a key stands under what every page does.
  function showHelp() {
    const own = help.querySelector("[data-own-keys]");
    own.replaceChildren();
    document.querySelectorAll("[data-shortcut], [data-letter], [data-number]").forEach((element) => {
      const key = element.dataset.shortcut ?? element.dataset.letter ?? element.dataset.number;
      const name = document.createElement("dt");
      const words = document.createElement("dd");
      const cap = document.createElement("kbd");
      cap.textContent = key;
      name.append(cap);
      words.textContent = wordsOf(element.labels?.[0] ?? element);
      own.append(name, words);
    });
    help.showModal();
  }

  const input = palette.querySelector("input");
  const list = palette.querySelector("[role=listbox]");
  const nothing = palette.querySelector("[data-nothing]");
  let places = [];
  let chosen = 0;

  function placesOfThisPage() {
    const links = [...document.querySelectorAll(".bc-actions a[href], .bc-nav a[href], .bc-menu a[href]")];
    return links.map((link) => ({ words: wordsOf(link.querySelector(".bc-nav-item > span") ?? link), link }));
  }

  function draw() {
    const typed = input.value.trim().toLowerCase();
    const found = places.filter((place) => place.words.toLowerCase().includes(typed));
    const options = found.map((place) => ({ words: place.words, go: () => place.link.click() }));
    if (typed) options.push({ words: list.dataset.lookUp.replace("…", input.value.trim()), go: lookUp });
    chosen = Math.max(0, Math.min(chosen, options.length - 1));
    list.replaceChildren(
      ...options.map((option, index) => {
        const row = document.createElement("li");
        row.id = `palette-${index}`;
        row.setAttribute("role", "option");
        row.setAttribute("aria-selected", String(index === chosen));
        row.textContent = option.words;
        row.addEventListener("click", option.go);
        return row;
      }),
    );
    nothing.hidden = options.length > 0;
    input.setAttribute("aria-activedescendant", options.length ? `palette-${chosen}` : "");
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
  }

  function lookUp() {
    const box = document.getElementById("lookup-box");
    box.value = input.value.trim();
    box.form.requestSubmit();
  }

  function showPalette() {
    places = placesOfThisPage();
    input.value = "";
    chosen = 0;
    palette.showModal();
    draw();
    input.focus();
  }

  input.addEventListener("input", () => {
    chosen = 0;
    draw();
  });
  input.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      event.preventDefault();
      const count = list.children.length;
      chosen = count ? (chosen + steps[event.key] + count) % count : 0;
      draw();
    } else if (event.key === "Enter") {
      event.preventDefault();
      list.children[chosen]?.click();
    }
  });

  // Rows are walked by their links, so that Enter opens one as it does anywhere.
  const ROWS = ".bc-table tbody th[scope=row] a, [data-row]";
  function walk(step) {
    const rows = [...document.querySelectorAll(ROWS)];
    if (!rows.length) return false;
    const here = rows.indexOf(document.activeElement);
    rows[here < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, here + step))].focus();
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k" && !isOpen()) {
      event.preventDefault();
      showPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isOpen()) return;
    // Arrows scroll a page; on a list, where nothing else wants them, they go to the rows as j and k do anywhere.
    const here = document.activeElement;
    const isFree = document.querySelector(".bc-filters") !== null && (!here || here === document.body);
    const inList = isFree || here.matches(ROWS);
    const steps = { j: 1, k: -1, ...(inList ? { ArrowDown: 1, ArrowUp: -1 } : {}) };
    if (event.key === "?") {
      event.preventDefault();
      showHelp();
    } else if (event.key in steps && walk(steps[event.key])) {
      event.preventDefault();
    }
  });

  document.querySelectorAll("[data-show-keys]").forEach((button) => button.addEventListener("click", showHelp));
  document.querySelectorAll("dialog [data-close]").forEach((button) => {
    button.addEventListener("click", () => button.closest("dialog").close());
  });
})();
