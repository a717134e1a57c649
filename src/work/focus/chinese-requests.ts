/** What a sentence in Chinese asks to be worked on now; undefined if it is in no Chinese. Its words have no blanks. */
export function requestsInChinese(sentence: string): string[] | undefined {
  if (!/\p{Script=Han}/u.test(sentence) || /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(sentence))
    return undefined
  if (QUESTION.test(sentence) && !POLITE.test(sentence)) return []
  const found: string[] = []
  let isUrged = false
  for (const clause of sentence.split(/[，,、；;。！!？?\s]+/)) {
    if (AWAY.test(clause)) isUrged = true
    else if (!REFUSES.test(clause) && !LATER.test(clause)) {
      const asked = ASKS.exec(clause) ?? LAST.exec(clause) ?? (isUrged ? WORK.exec(clause) : null)
      const what = asked?.groups?.["what"]
      if (what !== undefined) found.push(what)
    }
  }
  return found
}

const QUESTION = /[?？]|吗|呢$|为什么|為什麼|怎么|怎麼|什么时候|是不是|谁|誰|哪/u
const POLITE = /^(?:请|請|麻烦|麻煩)?(?:你)?(?:可以|能不能|能否|可不可以|能)/u
const REFUSES = /不要|不用|不必|不想|不是|别|別|勿|没|沒|自己/u
const LATER = /明天|以后|以後|之后|之後|稍后|稍後|下次|下周|回头|等.{0,12}(?:再|后|後)|完成后|再说|再說/u
const ASKS =
  /^(?:好的?|那就?|嗯|请|請|麻烦|麻煩|你|我们|我們|咱们|可以|能不能|能否|可不可以|能|帮我|幫我|还是|還是|改成?|换成?|換成?)*(?:(?:先|现在|現在|马上|馬上|立刻|赶紧|趕緊|优先|優先|首先)+(?:去|来|來|把|切换到|切換到|切到|转到|轉到|回到|处理|處理|做|弄|搞|看)*|切换到|切換到|切到|转到|轉到|回到|转去|改做|换做|換做)(?<what>.+?)(?:吧|了|先)?$/u
const LAST = /^(?<what>.{2,}?)(?:先|优先|優先|现在|現在)(?:做|弄|处理|處理|搞)?(?:吧|了)?$/u
const AWAY = /放一放|放一下|停一下|停下|暂停|暫停|先不管|别管|不管|(?:别|別|不要?|先不)做(?:这|這|那)/u
const WORK =
  /^(?:去|来|來|改|转|轉)?(?:做|弄|处理|處理|完成|开始|開始|(?=修|写|寫|改))(?<what>.{2,}?)(?:吧|了)?$/u
