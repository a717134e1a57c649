/** A command without what its quotes hold, its comments, brackets and duplicated outputs: what is left are programs and signs. */
export function plainShell(command: string): string {
  return command
    .replace(/\\\n/g, " ")
    .replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, QUOTED)
    .replace(/\d*>>?&\s*\d|&>>?/g, " > ")
    .replace(/[(){}]|(^|\s)#.*$/gm, " ")
    .trim()
}

/** The program of a part, without assignments in front of it. */
export function programOf(part: string): string {
  return /^\s*(?:\w+=\S*\s+)*(\S*)/.exec(part)?.[1] ?? ""
}

const QUOTED = '""'
