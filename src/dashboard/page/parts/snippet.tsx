/** Text as it stands: a command, an output, what was sent. Where it scrolls, it can be reached by keyboard. */
export function Snippet({ children, class: name = "snippet" }: { children: string; class?: string }) {
  const reachable = (element: HTMLPreElement | null) => {
    if (element !== null && element.scrollHeight > element.clientHeight) element.tabIndex = 0
  }
  return (
    <pre class={name} ref={reachable}>
      {children}
    </pre>
  )
}
