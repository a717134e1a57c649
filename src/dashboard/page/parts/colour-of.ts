/** Canvas knows no CSS variables, so an element says what a tone, or a variable such as `--accent`, is now. */
export function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement("span")
  if (name.startsWith("--")) probe.style.color = `var(${name})`
  else probe.className = `probe tone-${name}`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
