/** A request written as on a command line: `list pods -n shop`, `kubectl logs web-0 -n shop`, `GET /api/v1/pods?limit=5`. */
import type { ArgumentProblem } from '../../kubectl/note.ts'
import type { RequestArguments } from '../../kubectl/planned-request.ts'

export function requestWordsOf(text: string): RequestArguments | ArgumentProblem {
  const words: string[] = []
  let namespace: string | undefined
  let allNamespaces = false
  let subresource: string | undefined
  const rest = text.split(/\s+/).filter((word) => word !== '')
  while (rest.length > 0) {
    const word = rest.shift() ?? ''
    const [flag = '', value] = word.startsWith('--') ? splitFlag(word) : [word]
    switch (flag) {
      case '-A':
      case '--all-namespaces':
        allNamespaces = true
        break
      case '-n':
      case '--namespace':
        namespace = value ?? rest.shift()
        if (namespace === undefined) return { problem: `${flag} needs a namespace`, fix: 'write -n NAMESPACE' }
        break
      case '--subresource':
        subresource = value ?? rest.shift()
        break
      default:
        if (flag.startsWith('-')) {
          return { problem: `unknown flag ${flag}`, fix: 'a request takes -n NAMESPACE, -A and --subresource' }
        }
        words.push(word)
    }
  }
  const [verb, resource, name, ...others] = words
  if (verb === undefined)
    return { problem: 'no request', fix: 'write VERB RESOURCE [NAME] [-n NAMESPACE], or VERB /path' }
  return { verb, resource, name, rest: others, subresource, namespace, allNamespaces }
}

function splitFlag(word: string): [string, string?] {
  const equals = word.indexOf('=')
  return equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)]
}
