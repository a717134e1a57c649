/** True of a shell command that makes a git commit: `git`, its options, then `commit`, at any place of a chain. */
export function isCommitCommand(command: string): boolean {
  return COMMIT.test(command)
}

// A word of the shell, with quoted parts, as the value of an option may be: `-c user.name="A Name"`.
// Bounded: from each `git` of a long text it is looked for again.
const WORD = `(?:"[^"]{0,200}"|'[^']{0,200}'|[^\\s"';&|]){1,200}`
const COMMIT = new RegExp(
  `(?:^|[\\s;&|(])git(?:\\s{1,20}-${WORD}(?:\\s{1,20}(?!-)${WORD})?){0,10}\\s{1,20}commit(?=$|[\\s;&|)])`,
)
