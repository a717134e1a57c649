import { changeNotes } from "../../src/turns/change-notes.ts"
import { treeWitness } from "../../src/turns/tree-witness.ts"

/** What the steps around a call need to know of a folder's files; without one, of none. */
export function treeAt(dir = "/dev/null/nowhere", toasts: string[] = []) {
  const log = () => {}
  const toast = async (message: string) => void toasts.push(message)
  return { tree: treeWitness(dir, log), changeNotes: changeNotes(toast, log) }
}
