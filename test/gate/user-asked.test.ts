import { expect, it } from "vitest"
import type { Finding, FindingKind } from "../../src/gate/shell/command-reading.ts"
import { findUserRequest } from "../../src/gate/user-asked.ts"

const asked = (message: string, kind: FindingKind, part = "") => {
  const finding: Finding = { kind, what: "", part }
  return findUserRequest(message, finding) !== undefined
}

it.each<[string, FindingKind, string?]>([
  ["force push", "force push"],
  ["Looks good, force-push it.", "force push"],
  ["please push with --force to my branch", "force push"],
  ["push it with force", "force push"],
  ["Rebase on main and then force push", "force push"],
  ["delete the release v1.2", "remote deletion", "gh release delete v1.2 -y"],
  ["remove the remote branch `old-login`", "remote deletion", "git push origin --delete old-login"],
  ["drop the database and seed it again", "database"],
  ["Lösche die Datenbank", "database"],
  ["supprime la base de données", "database"],
  ["borra la base de datos", "database"],
  ["reset hard to origin/main", "discarded changes"],
  ["discard all my changes", "discarded changes"],
  ["delete notes.md", "deleted file", "rm notes.md"],
  ["drop the stash", "stash"],
  ["remove the docker volumes", "volume"],
  ["Could you please force push?", "force push"],
  ["push it with force-with-lease, then update the PR to have another target please?", "force push"],
  ["1. rebase on main\n2. force push the branch", "force push"],
  ["Tests are green now.\nForce push and tell me when CI is done.", "force push"],
  ["delete the branch old-login on the remote", "remote deletion", "git push origin --delete old-login"],
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
  ["Never force-push to this repository.", "force push"],
  ["should we force push?", "force push"],
  ["Can you force push", "force push"],
  ['The docs say "force push the branch".', "force push"],
  ["```\ngit push --force\n```\nwhat does this do", "force push"],
  ["> force push it\nI disagree with that", "force push"],
  ["error: failed to push, use force push", "force push"],
  ["fix the login", "force push"],
  ["delete the old tests", "remote deletion", "gh release delete v1.2 -y"],
  ["delete the old tests", "deleted file", "rm notes.md"],
  ["reset the form state when it is submitted", "discarded changes"],
  ["Füge das nicht per force push ein, nicht erzwingen", "force push"],
  ["erase the disk", "disk or machine"],
  ["If CI fails, force push the old commit", "force push"],
  ["I think we need to revert all the changes so far", "discarded changes"],
  ["let's make a plan (and probably throw away all changes we made)", "discarded changes"],
  ["okay, I'm going to reset all the files", "discarded changes"],
  ["I'll force push it myself", "force push"],
  ["write a script that would:\n- do a git restore (removing all changes)\n- commit", "discarded changes"],
  ["git checkout main and look at the login", "discarded changes", "git checkout ."],
  ["What happens when the user does a git clean", "discarded changes"],
  ["drop the test database", "database", "dropdb app_production"],
  ["push it, but no force push", "force push"],
  ["rebase without a force push", "force push"],
  ["“force push the branch”, says the guide", "force push"],
  ["<log>\nforce push the branch\n</log>\nfix this", "force push"],
  ["$ git push --force\nwhy was this refused", "force push"],
  ["2026-01-05 12:00 agent: I will force push", "force push"],
  ["Why did you delete notes.md?", "deleted file", "rm notes.md"],
  ["delete the other file", "left out", "rm data/dump.sql"],
  [
    Array.from({ length: 60 }, () => "a line of a log")
      .join("\n")
      .concat("\nforce push"),
    "force push",
  ],
])("%s does not", (message, kind, part) => {
  expect(asked(message, kind, part)).toBe(false)
})

it("a word of the message that is a folder on the way to the target names nothing", () => {
  expect(asked("Remove the user model", "outside", "rm -rf /home/user/other")).toBe(false)
  expect(asked("Delete unused imports on the home page", "outside", "rm -rf /home/me/x.txt")).toBe(false)
  expect(asked("Drop the data field", "outside", "rm -rf /var/data/exports")).toBe(false)
  expect(asked("Delete /var/data/exports", "outside", "rm -rf /var/data/exports")).toBe(true)
})
