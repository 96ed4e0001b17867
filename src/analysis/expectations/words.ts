/** A request written as on a command line: `list pods -n shop`, `kubectl logs web-0 -n shop`, `GET /api/v1/pods?limit=5`. */
import type { ArgumentProblem } from '../../kubectl/note.ts'
import type { RequestArguments } from '../../kubectl/planned-request.ts'

/** Splits such a text as a shell would, without quotes; a flag that no request takes is a problem. */
export function requestWordsOf(text: string): RequestArguments | ArgumentProblem {
  const words: string[] = []
  let namespace: string | undefined
  let allNamespaces = false
  let subresource: string | undefined
  const rest = text.split(/\s+/).filter((word) => word !== '')
  while (rest.length > 0) {
    const word = rest.shift() ?? ''
    const [flag, value] = splitFlag(word)
    switch (flag) {
      case '-A':
      case '--all-namespaces':
        if (value !== undefined && value !== 'true' && value !== 'false') {
          return { problem: `${flag} is true or false, not ${value}`, fix: `write ${flag}, or leave it out` }
        }
        allNamespaces = value !== 'false'
        break
      case '-n':
      case '--namespace':
        namespace = value ?? rest.shift()
        if (namespace === undefined) return { problem: `${flag} needs a namespace`, fix: 'write -n NAMESPACE' }
        break
      case '--subresource':
        subresource = value ?? rest.shift()
        if (subresource === undefined) return { problem: `${flag} needs a name`, fix: 'write --subresource=status' }
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

/** `--namespace=shop`, `-n=shop` and `-nshop` hold their value. */
function splitFlag(word: string): [flag: string, value?: string] {
  if (word.startsWith('-n') && word.length > 2) return ['-n', word.slice(word[2] === '=' ? 3 : 2)]
  const equals = word.startsWith('-') ? word.indexOf('=') : -1
  return equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)]
}
