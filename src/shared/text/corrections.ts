export interface Correction {
  sentence: string
  /** The user says that a fix did not help: something still fails, or fails again. */
  isStillWrong: boolean
}

export interface MessageContext {
  /** The user typed this while rejecting a tool call: anything except a question or "go on" is a correction. */
  rejectsCall?: boolean
  /** The message answers a question of the agent, so "no" is an answer, not a correction. */
  isAnswer?: boolean
}

/** Finds the sentence that corrects the agent. Ignores code, quotations, pasted text and ideas that the user withdraws. */
export function correctionIn(message: string, context: MessageContext = {}): Correction | undefined {
  const { rejectsCall = false, isAnswer = false } = context
  const sentences = ownSentences(message).filter((sentence) => !OWN_IDEA.test(sentence))
  const still = sentences.find((sentence) => STILL_WRONG.some((cue) => cue.test(sentence)))
  if (still !== undefined) return { sentence: still, isStillWrong: true }
  const cues = isAnswer ? CUES : [...REFUSALS, ...CUES]
  const clear = sentences.find((sentence) => cues.some((cue) => cue.test(sentence)))
  const asksOrGoesOn = sentences.some((sentence) => ASKS_OR_GOES_ON.test(sentence))
  const sentence = clear ?? (rejectsCall && !asksOrGoesOn ? sentences[0] : undefined)
  return sentence === undefined ? undefined : { sentence, isStillWrong: false }
}

/** Whether a message only approves the result, or asks to commit it. */
export function isApproval(message: string): boolean {
  const text = message.trim()
  return text.length <= MAX_APPROVAL_CHARS && APPROVAL.test(text)
}

export function saysGoOn(message: string): boolean {
  return GO_ON.test(message.trim())
}

/** The first sentences of a message, without code, quotations and pasted text. */
export function ownSentences(
  message: string,
  { maxChars, maxSentences } = { maxChars: MAX_CHARS, maxSentences: MAX_SENTENCES },
): string[] {
  return message
    .slice(0, maxChars)
    .replaceAll(/```[\s\S]*?(```|$)/g, "\n")
    .replaceAll(/"[^"\n]{20,}"|“[^”\n]*”/g, " ")
    .replaceAll("’", "'")
    .split("\n")
    .filter((line) => !PASTED.test(line))
    .flatMap((line) => line.split(/(?<=[.!?])\s+|(?<=[。！？])/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
    .slice(0, maxSentences)
}

const STILL_WRONG: readonly RegExp[] = [
  /\b(it|this|that|they|which|i)('s| is| are)? still (see|get|not|the same|broken|wrong|there|fail|happen|crash|does|do|reads?|shows?|has)/i,
  /\b((didn't|did not) (really |actually )?(help|work|fix)|(doesn't|does not) (help|fix))\b/i,
  /\b(happen(s|ed|ing)?|fail(s|ed|ing)?|crash(es|ed)?|broken?|missing|gone|wrong)\b[^.?!]{0,20}\bagain\b/i,
  /\b((immer noch|noch immer) (nicht|falsch|kaputt)|toujours pas|sigue sin|ainda não)(?!\p{L})/iu,
  /вс[её] (ещ[её]|равно) не|(还是|仍然)(不行|不对|报错)|(まだ|直って)(動かない|動きません|いません|いない)/i,
]

/** Corrections, unless the message answers a question of the agent. */
const REFUSALS: readonly RegExp[] = [
  // Matches "no, we removed that on purpose", but not "no verify", "no tests yet" or "no, that's fine"
  /^((ah|oh|hm+|uh|er+|ok(ay)?),? )?(no|nope|nah)(?![,.] (go ahead|continue|thanks|thank you|(that|this|it)('s| is) (fine|ok|okay|good|all))\b)([,.!:;]| -| (wait|i|we|you|it|that|this|those|these|there|they|the|just|please|not|let's|don't|do|remove|revert|ignore|undo|use|keep|leave|stop)\b)/i,
  /^((please|oh|so|yeah|and|but|also|again),? ){0,2}(don't|do not) (?!know|think|worry|have|see|understand|forget|hesitate)\w+/i,
  /\blet's not\b(?! (worry|forget))/i,
  /^(nein|nee)\b(?! danke)|^non\b(?! merci)|^não,|^нет[,. ]|^(不是|不要|いや)/i,
]

const CUES: readonly RegExp[] = [
  // Matches "wait, …", but not "wait for the build"
  /^((no|oh|ok(ay)?|whoa),? )?(wait|hold on)\b(?! (for|until|till)\b)/i,
  /\b(is|are|was|were|looks|seems|it's|that's)( just| still| also| plain| completely| totally)? (wrong|incorrect)\b/i,
  /^wrong\b|\b(you|this is|that's|that is|it's|it is)\b.{0,20} the wrong\b/i,
  /\b((is|are|was|were|it's|that's) not|(is|are|was|were)n't)( quite| really| fully| entirely| at all)? (right|correct|true|what i|how (i|we|it|this|that|our)|the (case|point|idea))\b/i,
  /\bi (did not|didn't|never) (say|said|ask|asked|mean|meant|want|wanted|tell|told)\b/i,
  /\bi (said|asked for) .{2,60}, not\b/i,
  /\b(what i (meant|asked|wanted|said)|i meant|my point (is|was)|i('m| am| was) talking about|(like|as) i said|i (already )?told you)\b/i,
  /\bi (thought (we|you|it|that|this)|expected|would have expected|was expecting)\b/i,
  /\bi (really )?(don't|do not) want\b/i,
  /\byou (just |also |still )?(missed|forgot|broke|removed|deleted|ignored|skipped|misunderstood|misread|should have|shouldn't|should not|were supposed|weren't supposed|didn't|did not|(make|made) (it|this|that) up)\b/i,
  /\b(why (did|are|were|have|would) you|what are you doing)\b/i,
  /\b(revert|undo|roll ?back|back out) (that|this|those|these|it|your|the last|everything|all)\b/i,
  /\b(take|change|put) (it|this|that|those|these|them)( \w+)? back\b|\b(remove|delete|drop|revert|undo)\b.{0,60}\bagain\b/i,
  /\b((doesn't|does not|didn't|did not) (really |actually )?make sense|(doesn't|does not) (really |actually )?work)\b/i,
  // Matches "not as a comment, but as a document", "it should return an id", "use the library instead"
  /^not (?!sure)[^,.]{2,60},? but\b/i,
  /^(it|this|that) should\b|^(use|i want|i'd like) .* instead\b/i,
  // Matches "there is already a helper for that", "the test isn't really checking it", "but you can't know that"
  /^(there's|there is) already\b|^(but you|we didn't|we did not)\b/i,
  /\b(isn't|aren't|doesn't|is not|are not|does not) (really|.{0,20}\benough)\b/i,
  /🤦/u,

  // The most common corrections in German, French, Spanish, Portuguese, Russian, Chinese and Japanese
  /^falsch\b|\b(das (ist|war) (falsch|nicht (richtig|korrekt))|das stimmt (so )?nicht|ich meinte|nicht so)\b/i,
  /\b(c'est faux|ce n'est pas (correct|ça|vrai)|je voulais dire|pas comme ça)(?!\p{L})/iu,
  /\b(está mal|eso no es|no es correcto|quise decir|así no|está errado|isso não é|eu quis dizer)(?!\p{L})/iu,
  /(это (неправильно|неверно|не так)|я имел в виду|не так)/i,
  /^(不对|错了)|我的意思是/,
  /^(違う|違います|ちがう|そうじゃ)|(じゃなく|ではなく)て/,
]

/** The user withdraws or postpones an idea of their own: "let's do that in a separate PR", "never mind". */
const OWN_IDEA =
  /^((and|ok(ay)?|yeah|maybe),? )*(let's|we|i'll|i will)\b.*\b(separate|another|follow-?up) (pr|pull request|branch|commit|issue|ticket)\b|\bnever ?mind\b|\bscratch that\b|\bmy (own )?(idea|suggestion|mistake|bad|fault)\b|\bi (messed|screwed) up\b|^actually,? [^.]{0,20}\blet's\b/i
const APPROVAL =
  /^((yes|yeah|yep|ok(ay)?|sure|cool|nice|great|perfect|awesome|excellent|thanks|thank you|good|looks good|lgtm|(that|it|this) works|works|(close|ship|merge|push|commit)( it| this| that| and push)?|danke|super|merci|gracias|obrigado|спасибо|谢谢|ありがとう)( (please|now|job|work|very much|so much|it))?[,.!\s]*)+$/i
const GO_ON =
  /^((ok(ay)?|yes|let's|please|bitte),? )*((continue|go on|keep going|carry on|go ahead|weiter|mach weiter|continuez|continúa)(?!\p{L})|继续|続けて)/iu
const ASKS_OR_GOES_ON =
  /\?\W*(\s|$)|^(q:|yes|yep|ok|okay|continue|go on|keep going|続けて)|\b(keep going|go ahead|carry on)\b/i
const PASTED =
  /^\s*([$>#%|+{[]|\d+[.)] |[-*•] |-{2,}|at \S+ \(|\d{4}-\d\d-\d\d|\[?\d\d:\d\d|(error|warn|info|debug|hint|fatal|remote):|npm (warn|err!|error|notice)\b)|\t| {4}\S/i
const MAX_APPROVAL_CHARS = 40
const MAX_CHARS = 800
const MAX_SENTENCES = 4
