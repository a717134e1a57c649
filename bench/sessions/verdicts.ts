/**
 * Recorded sessions that were warned, judged by reading what happened up to the warning: would a colleague beside the user
 * have said something at that point?
 */
export const verdicts: Readonly<Record<string, { hasReason: boolean; why: string }>> = {
  "0276a600-2f22-4d2b-844c-3feb9c5aa108": {
    hasReason: true,
    why: "a test that does not check the thing, an answer beside the point, then edits that have to be reverted",
  },
  "03a1382e-ecd5-42c4-b3d4-5c659e165904": {
    hasReason: true,
    why: "the agent jumps to an explanation, then starts a fix and an issue that the user turns down",
  },
  "1284c080-f9cd-45f8-9942-ff58f5c517e5": {
    hasReason: true,
    why: "edits that the user wanted elsewhere, rejected and then rolled back",
  },
  "4b3ddf27-d7f7-4773-b4f2-b94b999c661d": {
    hasReason: true,
    why: "the agent acts twice where the user wants to discuss, amends commits, and is stopped three times",
  },
  "6113e919-67d3-417b-b525-c63700228d19": {
    hasReason: true,
    why: "a link and tests that nobody can use, each to be removed again",
  },
  "62367aca-7b96-4e51-9d5d-cb2b17f4c108": {
    hasReason: true,
    why: "stopped three times in a row, twice to repeat that a worktree is wanted",
  },
}
