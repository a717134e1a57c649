import { scriptKind } from "./command-kind.ts"
import { parseOptions, setOf } from "./options.ts"
import { isInHive, resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"
import { UNKNOWN } from "./unknown-text.ts"

/** Database clients: judged by the statements they are given, in options, words, or what is piped into them. */
export const sql: Programs = {
  ...clients("psql pgcli", "-c --command", "-f --file"),
  ...clients("mysql mariadb mycli", "-e --execute", ""),
  ...clients("sqlite3 sqlite duckdb", "-c -cmd", "-init"),
  ...clients("sqlcmd", "-Q -q", "-i"),
  ...clients("clickhouse-client clickhouse cockroach", "-q --query -e --execute", "--queries-file"),
  ...clients("cqlsh", "-e --execute", "-f --file"),
  // Their file is what they write.
  ...sameFor("pg_dump pg_dumpall", ({ args, frame, run }) => {
    run.addKind("other")
    for (const file of parseOptions(args, setOf("-f --file")).values("-f", "--file")) {
      if (isInHive(resolvePath(file, frame, run))) run.writes(file, frame)
      judgeReplacement(file, frame, run)
    }
    return UNKNOWN
  }),
  mysqladmin: (call) => judgeWords(call, /\bdrop\b/, "deletes a database"),
  "redis-cli": (call) => judgeWords(call, /\bFLUSH(ALL|DB)\b/i, "empties the database"),
  ...sameFor("mongosh mongo", (call) => judgeWords(call, MONGO, "deletes from the database")),
  prisma: (call) => judgeWords(call, /\bmigrate reset\b|--force-reset\b/, "empties the database"),
  ...sameFor("rails rake", (call) => judgeWords(call, RAKE, "empties the database")),
  artisan: (call) => judgeWords(call, ARTISAN, "empties the database"),
}

function clients(names: string, code: string, files: string): Programs {
  const codeOptions = code.split(" ")
  const fileOptions = files === "" ? [] : files.split(" ")
  const valued = setOf(
    `${code} ${files} -h -p -P -U -u -d -D -S -o -v --host --port --user --username --dbname`,
  )
  return sameFor(names, ({ name, args, frame, run }) => {
    run.addKind("other")
    const options = parseOptions(args, valued)
    const given = [...options.values(...codeOptions), ...options.operands.slice(0, 8), frame.stdin]
    for (const text of given)
      for (const [, file = "", other = file] of text.slice(0, MAX_SQL_CHARS).matchAll(WRITES_FILE)) {
        run.writes(other, frame)
        judgeReplacement(other, frame, run)
      }
    const [database = ""] = options.operands
    // Opened alone, it makes the file that is not there.
    if (FILE_CLIENTS.has(name) && isInHive(resolvePath(database, frame, run)) && !options.has("-readonly"))
      run.writes(database, frame)
    // Gone with the program, or in a folder for what may go.
    const isPassing = /^(:memory:|(\/var)?\/tmp\/.*)?$/.test(options.operands[0] ?? "-")
    if (FILE_CLIENTS.has(name) && isPassing) return UNKNOWN
    const ownFiles = options.values(...fileOptions).map((file) => resolvePath(file, frame, run))
    const texts = [...given, ...ownFiles.map((file) => run.files.get(file) ?? "")]
    for (const text of texts) {
      const what = destructionIn(text)
      if (what !== undefined) run.destroys(what)
    }
    return UNKNOWN
  })
}

/** The first statement that drops, empties or deletes all of a table, in words for a person. */
function destructionIn(text: string): string | undefined {
  const bare = text.slice(0, MAX_SQL_CHARS).replaceAll(NOT_SQL, " ")
  for (const statement of bare.split(";")) {
    const words = statement.trim().replaceAll(/\s+/g, " ").toUpperCase()
    if (/^DROP [A-Z]/.test(words)) return `drops a ${words.split(" ")[1]?.toLowerCase()}`
    if (/^TRUNCATE\b/.test(words)) return "empties a table"
    if (/^DELETE FROM\b/.test(words) && !/ WHERE /.test(words)) return "deletes every row of a table"
    if (
      /^ALTER TABLE\b.* DROP (COLUMN )?\S/.test(words) &&
      !/ DROP (CONSTRAINT|INDEX|DEFAULT|NOT) ?/.test(words)
    )
      return "drops a column"
  }
  return undefined
}

function judgeWords({ args, frame, run }: Call, pattern: RegExp, what: string): string {
  if (pattern.test(`${args.join(" ")}\n${frame.stdin}`)) run.destroys(what)
  run.addKind(scriptKind(args.find((arg) => !arg.startsWith("-")) ?? ""))
  return UNKNOWN
}

const FILE_CLIENTS = setOf("sqlite3 sqlite duckdb")
/** The client's own commands that print into a file: sqlite's `.output f`, psql's `\\o f` and `\\copy … to 'f'`. */
const WRITES_FILE =
  /^[ \t]{0,40}(?:\.(?:output|once|backup|save|clone)|\\o)[ \t]{1,40}["']?([^"'\s|]{1,500})|^[ \t]{0,40}\\copy\b[^;\n]{0,500}\bto[ \t]{1,40}'([^'\n]{1,500})'/gim
const MONGO = /\bdropDatabase\s*\(|\.drop\s*\(|\.(deleteMany|remove)\s*\(\s*\{\s*\}/
const RAKE = /\bdb:(drop|reset|purge|schema:load|migrate:reset)\b/
const ARTISAN = /\bmigrate:(fresh|reset|refresh)\b|\bdb:wipe\b/
/** Comments and text in quotes, which may hold any words. */
const NOT_SQL = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)/g
const MAX_SQL_CHARS = 200_000
