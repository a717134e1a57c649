export function differs(what: string, told: string | undefined, is: string | undefined): string[] {
  return told === is ? [] : [`${what} told "${told}", is "${is}"`]
}
