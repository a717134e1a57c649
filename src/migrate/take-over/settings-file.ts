import { readText } from "../../store/files/text-file.ts"

/** Puts options into the text of a configuration, where they are not set yet. Comments stay. */
export async function openSettings(path: string) {
  const { applyEdits, findNodeAtLocation, modify, parseTree } = await import("jsonc-parser") // Rarely needed.
  const before = readText(path) ?? null
  let after = before ?? "{}\n"

  return {
    /** False where the user has set it, or the file cannot be changed without damage. */
    set({ name, value }: { name: string; value: unknown }): boolean {
      const place = name.split(".")
      const errors: Parameters<typeof parseTree>[1] = []
      const tree = parseTree(after, errors, { allowTrailingComma: true })
      if (tree?.type !== "object" || (errors?.length ?? 0) > 0) return false
      if (findNodeAtLocation(tree, place) !== undefined) return false
      after = applyEdits(
        after,
        modify(after, place, value, { formattingOptions: { tabSize: 2, insertSpaces: true } }),
      )
      return true
    },
    /** The text before and after, or null where nothing was set. */
    change: () => (after === (before ?? "{}\n") ? null : { before, after }),
  }
}
