// Runs before the first paint, so that a dark page never flashes white. Unfold keeps the choice under this name.
(() => {
  let choice = "auto";
  try {
    choice = JSON.parse(localStorage.getItem("adminTheme") || '"auto"');
  } catch {
    choice = "auto";
  }
  const isDark = choice === "dark" || (choice === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", isDark);
})();
