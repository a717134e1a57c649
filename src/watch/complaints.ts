/** Does the user say that what was done has not helped? A wish for more ("still a bit larger") is none. */
export function isComplaint(text: string): boolean {
  const start = text.slice(0, MAX_CHARS)
  return COMPLAINTS.some((pattern) => pattern.test(start))
}

const COMPLAINTS = [
  /\b(it|this|that|they|which)('s| is| are|'re)? still\b/i,
  /\bstill (the same|not|broken|wrong|there|fail(s|ing)?|happen(s|ing)?|crash(es|ing)?|(does|do|is|are)(n'?t| not))\b/i,
  /\b(same|this) (problem|error|issue|bug|failure) (again|as before|still)\b/i,
  /\b(did|does|has)(n'?t| not) (really |actually )?(help(ed)?|work(ed)?|fix(ed)? (it|this|that|anything))\b/i,
  /\b(not|isn'?t|never) (been )?fixed\b/i,
  // German
  /\b(immer noch|noch immer|weiterhin) (nicht|kaputt|falsch|da\b|das ?(selbe|gleiche)|de[rn] ?(selbe|gleiche)n? (fehler|problem))/i,
  /\bhat( leider| auch)? nicht(s)? (geholfen|funktioniert|gebracht)\b|\b(gleiche|selbe)[rn]? fehler (wie (vorher|zuvor)|wieder)\b/i,
  // French
  /\bne (marche|fonctionne|compile|passe)(nt)? toujours pas\b|\btoujours (le même|la même|cassé)/i,
  /\bn['’]a (pas|rien) (aidé|marché|fonctionné|résolu|changé)|\bmême (erreur|problème) (qu['’]avant|encore)/i,
  // Spanish and Portuguese
  /\b(sigue|siguen|todavía|aún|ainda|continua|continuam) (no funciona|sin funcionar|não funciona|sem funcionar|fall|falh|igual|rot[oa]|quebrad|dando|con el mismo|com o mesmo)/i,
  /\b(no|não) (me )?(ayudó|funcionó|sirvió|ajudou|funcionou|resolveu)(?!\p{L})|\bmism?o (error|erro|problema|fallo) (de antes|que antes|otra vez|de novo)/iu,
  // Russian
  /(вс[её] (ещ[её]|равно)|по-прежнему) (не |та же|то же|падает|сломан)|не помогло|не сработало|та же (самая )?ошибка/i,
  // Chinese and Japanese
  /(还是|仍然|依然|依旧)(不行|不对|不能|没用|报错|一样|失败|有问题|出错|没有?(修好|解决))|没(有)?(效果|修好|解决)|(同样|一样|相同)的(错误|报错)/,
  /まだ(動|直|治|エラー|同じ|だめ|ダメ|失敗)|(直|治|解決し|変わ)って?(い)?(ない|ません)|同じエラー(が|です|のまま)/,
]
// Later words of a long message are about something else.
const MAX_CHARS = 400
