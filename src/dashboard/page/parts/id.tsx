/** The start of an id, as every command takes it. */
export function Id({ children }: { children: string }) {
  return <code class="id">{children}</code>
}
