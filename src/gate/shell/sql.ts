import { HOLE, isKnown, readable } from "./hole.ts"
import { parseOptions, setOf } from "./options.ts"
import { placeOf } from "./places.ts"
import type { Call, Program, Programs } from "./run.ts"

/** Database clients: judged by the statements they are given, in options, words, or what is piped into them. */
export const sql: Programs = {
  ...clients("psql pgcli", "-c --command", "-f --file"),
  ...clients("mysql mariadb mycli", "-e --execute", ""),
  ...clients("sqlite3 sqlite duckdb", "-c -cmd", "-init"),
  ...clients("sqlcmd", "-Q -q", "-i"),
  ...clients("clickhouse-client clickhouse cockroach", "-q --query -e --execute", "--queries-file"),
  ...clients("cqlsh", "-e --execute", "-f --file"),
  mysqladmin: ({ args, run }) => {
    if (args.includes("drop")) run.destroys("deletes a database")
    run.does("other")
    return HOLE
  },
  "redis-cli": (call) => judgeWords(call, /\bFLUSH(ALL|DB)\b/i, "empties the database"),
  mongosh: (call) => judgeWords(call, MONGO, "deletes from the database"),
  mongo: (call) => judgeWords(call, MONGO, "deletes from the database"),
  prisma: (call) => judgeWords(call, /\bmigrate reset\b|--force-reset\b/, "empties the database"),
  rails: (call) => judgeWords(call, RAKE, "empties the database"),
  rake: (call) => judgeWords(call, RAKE, "empties the database"),
  artisan: (call) =>
    judgeWords(call, /\bmigrate:(fresh|reset|refresh)\b|\bdb:wipe\b/, "empties the database"),
}

/** The first statement that drops, empties or deletes all of a table, in words for a person. */
function dropsIn(text: string): string | undefined {
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

function clients(names: string, code: string, files: string): Programs {
  const codeOptions = code.split(" ")
  const fileOptions = files === "" ? [] : files.split(" ")
  const valued = setOf(
    `${code} ${files} -h -p -P -U -u -d -D -S -o -v --host --port --user --username --dbname`,
  )
  const program: Program = ({ args, frame, run }) => {
    run.does("other")
    const options = parseOptions(args, valued)
    const texts = [...options.values(...codeOptions), ...options.operands.slice(0, 8)]
    for (const file of options.values(...fileOptions)) {
      const text = run.files.get(placeOf(file, frame, run))
      if (text === undefined) run.unseen(`the SQL in ${readable(file)}`)
      else texts.push(text)
    }
    if (!isKnown(frame.stdin)) run.unseen("the SQL that is piped in")
    for (const text of [...texts, frame.stdin]) {
      const what = dropsIn(text)
      if (what !== undefined) run.destroys(what)
    }
    return HOLE
  }
  return Object.fromEntries(names.split(" ").map((name): [string, Program] => [name, program]))
}

function judgeWords({ args, frame, run }: Call, pattern: RegExp, what: string): string {
  if (pattern.test(`${args.join(" ")}\n${frame.stdin}`)) run.destroys(what)
  run.does("other")
  return HOLE
}

const MONGO = /\bdropDatabase\s*\(|\.drop\s*\(|\.(deleteMany|remove)\s*\(\s*\{\s*\}/
const RAKE = /\bdb:(drop|reset|purge|schema:load|migrate:reset)\b/
/** Comments and what stands in quotes, which may hold any words. */
const NOT_SQL = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)/g
const MAX_SQL_CHARS = 200_000
