// The types that the panel uses of packages that OpenCode provides at run time.

declare module "@opentui/solid" {
  export type Drawn = object
  export function createElement(tag: "box" | "text"): Drawn
  export function insert(parent: Drawn, child: unknown): unknown
  export function setProp(element: Drawn, name: string, value: unknown): unknown
  export function effect(run: () => void): void
}

declare module "solid-js" {
  export function createSignal<T>(value: T): [() => T, (value: T) => void]
  export function createComponent<P>(component: (props: P) => unknown, props: P): unknown
  export function onCleanup(run: () => void): void
  export function Index<T>(props: { each: readonly T[]; children: (item: () => T) => unknown }): unknown
}
