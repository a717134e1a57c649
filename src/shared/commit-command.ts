/** True of a shell command that makes a git commit: `git`, its options, then `commit`, at any place of a chain. */
export function isCommitCommand(command: string): boolean {
  return COMMIT.test(command)
}

// A word of the shell, with quoted parts, as the value of an option may be: `-c user.name="A Name"`.
const WORD = `(?:"[^"]*"|'[^']*'|[^\\s"';&|])+`
const COMMIT = new RegExp(`(?:^|[\\s;&|(])git(?:\\s+-${WORD}(?:\\s+(?!-)${WORD})?)*\\s+commit(?=$|[\\s;&|)])`)
