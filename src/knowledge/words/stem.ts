import { stemmer } from "stemmer"
import { isFunctionWord, maskOf } from "./function-words.ts"

/** Removes an English word's endings (`migrating` finds `migrations`): Porter stemmer, irregular forms and abbreviations. */
export function stem(word: string): string {
  const known = IRREGULAR.get(word)
  if (known !== undefined) return known
  if (word.length <= 2 || !LETTERS.test(word)) return word
  const american = word.length > 5 ? word.replace(/is(e|ed|es|er|ers|ing|ations?)$/, "iz$1") : word
  const stemmed = stemmer(american.length > 5 ? american.replace(/our(s|ed|ing|al)?$/, "or$1") : american)
  return isTooShort(stemmed, word) ? lastingForm(word, stemmed) : stemmed
}

/** True if a stem is too short to be right: `use` is no form of `us`. Two letters are only right for plurals such as `PRs`. */
function isTooShort(stemmed: string, word: string): boolean {
  if (stemmed === word) return false
  const said = { functionIn: maskOf(stemmed) }
  return isFunctionWord(said, "en") || (stemmed.length < MIN_STEM && word !== `${stemmed}s`)
}

/** Restores the `e` that most short words end with (`used` becomes `use`), or returns the word itself. */
function lastingForm(word: string, stemmed: string): string {
  const whole = `${stemmed}e`
  return whole.length === MIN_STEM && (word.startsWith(whole) || word === `${stemmed}ing`) ? whole : word
}

/** Removes the plural `s`, which many other languages share with English. */
export function plainForm(word: string): string {
  return word.length > 3 && LETTERS.test(word) ? word.replace(/(?<![siu])s$/, "") : word
}

const MIN_STEM = 3
const LETTERS = /^[a-z]+$/

// Each group is a word and its other forms. The last groups are programmers' abbreviations.
const SAME = `add adds added adding|become became|begin began begun|break broke broken|bring brought|build built|buy bought|catch caught
  choose chose chosen choice|come came|deal dealt|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten
  fall fell fallen|feed fed|feel felt|fight fought|find found|fly flew flown|forget forgot forgotten|freeze froze frozen
  get got gotten|give gave given|go went gone|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept
  know knew known|lead led|leave left|lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|run ran
  say said|see saw seen|seek sought|sell sold|send sent|shake shook shaken|shoot shot|sing sang sung|sit sat|sleep slept
  speak spoke spoken|spend spent|stand stood|steal stole stolen|stick stuck|sweep swept|swim swam swum|take took taken
  teach taught|tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn|win won
  write wrote written|withdraw withdrew withdrawn|child children|man men|person people|woman women|foot feet
  mouse mice|tooth teeth|index indices indexes|matrix matrices|vertex vertices|decide decision decisions decided
  fail failure failures|bigger big biggest|slow slower slowest|fast faster fastest|remove removal
  application app apps|argument arg args|authentication auth authn|configuration config configs conf cfg
  database db dbs|dependency dep deps|development dev|directory dir dirs folder|documentation docs doc
  environment env envs|implementation impl|javascript js|kubernetes k8s|maximum max|minimum min|number num
  parameter param params|performance perf|postgres postgresql pg|production prod|repository repo repos
  specification spec specs|typescript ts|internationalization i18n|accessibility a11y|temporary temp tmp`

const IRREGULAR = new Map<string, string>()
for (const line of SAME.split(/[|\n]/)) {
  const [word = "", ...same] = line.trim().split(" ")
  for (const each of same) IRREGULAR.set(each, stemmer(word))
  IRREGULAR.set(word, stemmer(word))
}
