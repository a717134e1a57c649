import { HOLE, isKnown } from "./hole.ts"

/** The files that a patch changes; undefined if there is no patch to look at. */
export function pathsInPatch(patch: string): string[] | undefined {
  if (patch === "" || patch === HOLE || !isKnown(patch)) return undefined
  const paths: string[] = []
  for (const line of patch.split("\n")) {
    const name = /^(?:\+\+\+|---) (?:[ab]\/)?([^\t]+)/.exec(line)?.[1]?.trim()
    if (name !== undefined && name !== "/dev/null" && name !== "dev/null") paths.push(name)
  }
  return paths.length === 0 ? undefined : [...new Set(paths)]
}
