import type { RequestArguments } from '../../src/kubectl/planned-request.ts'

/** Arguments as a shell would split them, with -n and -A. */
export function words(line: string): RequestArguments {
  const positional: string[] = []
  let namespace: string | undefined
  let allNamespaces = false
  const given = line.split(' ')
  for (let i = 0; i < given.length; i++) {
    const word = given[i] ?? ''
    if (word === '-A') allNamespaces = true
    else if (word === '-n') namespace = given[++i]
    else positional.push(word)
  }
  const [verb = '', resource, name, ...rest] = positional
  return { verb, resource, name, rest, namespace, allNamespaces }
}
