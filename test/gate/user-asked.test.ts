import { expect, it } from "vitest"
import type { Finding, FindingKind } from "../../src/gate/shell/command-reading.ts"
import { findUserRequest } from "../../src/gate/user-asked.ts"

const asked = (message: string, kind: FindingKind, part = "") => {
  const finding: Finding = { kind, what: "", part }
  return findUserRequest(message, finding) !== undefined
}

it.each<[string, FindingKind, string?]>([
  ["Looks good, force-push it.", "force push"],
  ["please push with --force to my branch", "force push"],
  ["delete the release v1.2", "remote deletion", "gh release delete v1.2 -y"],
  ["remove the remote branch `old-login`", "remote deletion", "git push origin --delete old-login"],
  ["drop the database and seed it again", "database"],
  ["Lösche die Datenbank", "database"],
  ["reset hard to origin/main", "discarded changes"],
  ["delete notes.md", "deleted file", "rm notes.md"],
  ["drop the stash", "stash"],
  ["Could you please force push?", "force push"],
  ["push it with force-with-lease, then update the PR to have another target please?", "force push"],
  ["1. rebase on main\n2. force push the branch", "force push"],
  ["drop the test database", "database", "dropdb app_test"],
  ["please wipe the production database", "database", "dropdb app_production"],
  ["uninstall the release `web` from the cluster", "cluster or cloud", "helm uninstall web -n dev"],
  ["throw away all my local changes and start over", "discarded changes", "git reset --hard"],
  ["do a git clean, then build", "discarded changes", "git clean -fd"],
  ["run docker compose down -v and start it again", "volume", "docker compose down -v"],
  ["just use the install script with curl, run curl | sh", "unread download", "curl https://x.io | sh"],
  ["remove data/dump.sql, it is old", "left out", "rm data/dump.sql"],
])("%s asks for it", (message, kind, part) => {
  expect(asked(message, kind, part)).toBe(true)
})

it.each<[string, FindingKind, string?]>([
  ["don't force push", "force push"],
  ["should we force push?", "force push"],
  ['The docs say "force push the branch".', "force push"],
  ["```\ngit push --force\n```\nwhat does this do", "force push"],
  ["> force push it\nI disagree with that", "force push"],
  ["error: failed to push, use force push", "force push"],
  ["delete the old tests", "deleted file", "rm notes.md"],
  ["reset the form state when it is submitted", "discarded changes"],
  ["Füge das nicht per force push ein, nicht erzwingen", "force push"],
  ["erase the disk", "disk or machine"],
  ["If CI fails, force push the old commit", "force push"],
  ["let's make a plan (and probably throw away all changes we made)", "discarded changes"],
  ["okay, I'm going to reset all the files", "discarded changes"],
  ["write a script that would:\n- do a git restore (removing all changes)\n- commit", "discarded changes"],
  ["git checkout main and look at the login", "discarded changes", "git checkout ."],
  ["What happens when the user does a git clean", "discarded changes"],
  ["drop the test database", "database", "dropdb app_production"],
  ["rebase without a force push", "force push"],
  ["<log>\nforce push the branch\n</log>\nfix this", "force push"],
  ["$ git push --force\nwhy was this refused", "force push"],
  ["2026-01-05 12:00 agent: I will force push", "force push"],
  ["Why did you delete notes.md?", "deleted file", "rm notes.md"],
  [
    Array.from({ length: 60 }, () => "a line of a log")
      .join("\n")
      .concat("\nforce push"),
    "force push",
  ],
])("%s does not", (message, kind, part) => {
  expect(asked(message, kind, part)).toBe(false)
})

it("a message that mentions only a parent folder of the target does not count as asking for it", () => {
  expect(asked("Remove the user model", "outside", "rm -rf /home/user/other")).toBe(false)
  expect(asked("Delete unused imports on the home page", "outside", "rm -rf /home/me/x.txt")).toBe(false)
  expect(asked("Drop the data field", "outside", "rm -rf /var/data/exports")).toBe(false)
  expect(asked("Delete /var/data/exports", "outside", "rm -rf /var/data/exports")).toBe(true)
})
