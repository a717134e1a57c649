import { expect, it } from "vitest"
import type { SessionStart } from "../../src/snapshots/session-start.ts"
import type { Snapshots } from "../../src/snapshots/snapshots.ts"
import type { WorktreeState } from "../../src/snapshots/worktree-state.ts"
import { unchangedUserWork } from "../../src/turns/uncommitted-work.ts"

it("lists left-out files and unchanged user's work", async () => {
  const large = (path: string) => ({ path, bytes: 1, why: "large" as const })
  const now = { leftOut: [large("app/data/"), large("app/model.bin"), large("other.bin")], repository: null }
  const start = {
    state: { repository: null },
    uncommitted: { "app/notes.md": "1", "app/changed.md": "2", "app/.env": "3", "top.md": "4" },
    untracked: ["app/notes.md"],
    ignored: ["app/.env"],
  }
  const snapshots = {
    changes: async () => new Map([["app/changed.md", {}]]),
    projectPath: (path: string) => (path.startsWith("app/") ? path.slice(4) : undefined),
  }
  const found = await unchangedUserWork(
    snapshots as unknown as Snapshots,
    start as unknown as SessionStart,
    now as unknown as WorktreeState,
  )
  expect(found).toEqual({
    isCovered: true,
    usersFiles: new Set(["notes.md", ".env"]),
    untracked: new Set(["notes.md", ".env"]),
    ignored: new Set([".env"]),
    leftOut: ["data", "model.bin"],
    hasUsersStash: false,
  })
})
