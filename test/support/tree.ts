import { callSnapshots } from "../../src/turns/call-snapshots.ts"
import { changeNotes } from "../../src/turns/change-notes.ts"

export function callSteps(toasts: string[] = []) {
  const log = () => {}
  const toast = async (message: string) => void toasts.push(message)
  return {
    tree: callSnapshots(log, (message) => void toasts.push(message)),
    changeNotes: changeNotes(toast, log),
    stepOf: () => null,
  }
}
