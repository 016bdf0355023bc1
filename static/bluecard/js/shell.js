// The frame of every page: look-up box, sidebar on a phone, light and dark, the clock.
(() => {
  const root = document.documentElement;

  const isTyping = (target) =>
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

  document.addEventListener("keydown", (event) => {
    const box = document.getElementById("lookup-box");
    if (event.key === "/" && box && !isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      box.focus();
      box.select();
    }
    const shortcut = /^[a-z]$/.test(event.key) && document.querySelector(`[data-shortcut="${event.key}"]`);
    if (shortcut && !isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      shortcut.click();
    }
    if (event.key === "Escape") {
      closeSide();
      document.querySelectorAll("details.bc-person[open]").forEach((menu) => {
        menu.open = false;
        menu.querySelector("summary").focus();
      });
    }
  });

  const opener = document.querySelector("[data-side-open]");
  const side = document.getElementById("side");

  function closeSide() {
    if (!root.classList.contains("bc-side-open")) return;
    root.classList.remove("bc-side-open");
    opener.setAttribute("aria-expanded", "false");
    opener.focus();
  }

  if (opener && side) {
    opener.addEventListener("click", () => {
      root.classList.add("bc-side-open");
      opener.setAttribute("aria-expanded", "true");
      side.querySelector("[data-side-close]").focus();
    });
    side.querySelector("[data-side-close]").addEventListener("click", closeSide);
    document.addEventListener("click", (event) => {
      if (!side.contains(event.target) && !opener.contains(event.target)) closeSide();
    });
  }

  document.addEventListener("click", (event) => {
    document.querySelectorAll("details.bc-person[open]").forEach((menu) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
  });

  document.querySelectorAll("[data-theme-switch]").forEach((button) => {
    button.addEventListener("click", () => {
      const next = root.classList.contains("dark") ? "light" : "dark";
      if (window.Alpine && root.hasAttribute("x-data")) {
        window.Alpine.$data(root).switchTheme(next);
      } else {
        localStorage.setItem("adminTheme", JSON.stringify(next));
        root.classList.toggle("dark", next === "dark");
      }
    });
  });

  // Unfold would write a chosen file's name into a text field that its own forms have beside it; ours have none.
  document.querySelectorAll("input[type=file]").forEach((input) => {
    input.hasChangeListener = true;
  });

  document.querySelectorAll("select[data-submits]").forEach((select) => {
    select.addEventListener("change", () => select.form.requestSubmit());
  });

  document.querySelectorAll("[data-print]").forEach((button) => {
    button.addEventListener("click", () => window.print());
  });

  const clock = document.querySelector("[data-clock-zone]");
  if (clock) {
    const show = new Intl.DateTimeFormat("en-GB", {
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      timeZone: clock.dataset.clockZone,
    });
    setInterval(() => {
      clock.textContent = show.format(new Date());
    }, 1000);
  }
})();
