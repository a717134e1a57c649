/** A command without what its quotes hold, its comments, brackets and duplicated outputs: what is left are programs and signs. */
export function plainShell(command: string): string {
  return withoutQuoted(command)
    .replace(/\d*>>?&\s*\d|&>>?/g, " > ")
    .replace(/[(){}]|(^|\s)#.*$/gm, " ")
    .trim()
}

/** What is quoted or escaped becomes an empty word: it is no sign, and where a program should stand nobody knows which. */
export function withoutQuoted(command: string): string {
  return command.replace(/\\\n/g, " ").replace(/\\[^\n]|'[^']*'|"(?:\\.|[^"\\])*"/gs, QUOTED)
}

/** The program of a part, without assignments in front of it. */
export function programOf(part: string): string {
  return /^\s*(?:\w+=\S*\s+)*(\S*)/.exec(part)?.[1] ?? ""
}

const QUOTED = '""'
