import { DEFAULT_SHARES } from '../../apf/defaulting.ts'
import { PROBLEM } from '../../apf/problem-codes.ts'
import type { ApiVersion } from '../../apf/versions.ts'
import { API_VERSIONS } from '../../apf/versions.ts'
import { readingFindings } from '../reading.ts'
import { both, schemaWith } from '../refusal-examples.ts'
import { defineRule, type Finding, type LintContext } from '../rule.ts'

export default defineRule({
  id: 'APF101',
  name: 'unknown-field',
  severity: 'error',
  summary: 'A field that this version of the API does not have',
  documentation: {
    what:
      'A field that is not in the version of the API that the object names, as the target serves it: misspelt, in ' +
      'another case, at the wrong depth, of another version of the API (`assuredConcurrencyShares` became ' +
      '`nominalConcurrencyShares` in v1beta3), or newer than the target (`lendablePercent` came with 1.26, ' +
      '`spec.exempt` with 1.28). A warning for servers before 1.25, which drop it without a word.',
    why:
      'kubectl asks for strict validation, and the server refuses the object: `strict decoding error: unknown field`. ' +
      'Without it (`--validate=warn`, server-side tools, releases before 1.25) the field is dropped in silence and its ' +
      'default counts: shares in a field of another version become 30.',
    fix: 'Write the field as the version has it, or name the version that has the field.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('matchingPrecedence', 'matchingprecedence'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  *check(context) {
    for (const finding of readingFindings(context, PROBLEM.unknownField)) {
      yield { ...withEdit(finding, context), ...milder(finding, context) }
    }
  },
})

/** Nobody has misspelt what a server wrote, and old servers refuse nothing. */
function milder({ object }: Finding, { rules }: LintContext): Pick<Finding, 'severity'> {
  if (object !== null && object.origin?.written === undefined) return { severity: 'info' }
  return rules.serverFieldValidation ? {} : { severity: 'warning' }
}

/** The rename is surely meant where only the case differs, or where the field was renamed between versions. */
function withEdit(finding: Finding, { rules }: LintContext): Finding {
  const { object, path, fix } = finding
  const written = String(path[path.length - 1])
  const meant = /^write (\w+)$/.exec(fix?.text ?? '')?.[1]
  const note = noteOf(written, finding, rules.lendingFields)
  const noted = note === null ? finding : { ...finding, note }
  if (object === null || meant === undefined || fix === undefined) return noted
  const renamed = written.endsWith('ConcurrencyShares') && meant.endsWith('ConcurrencyShares')
  if (!renamed && written.toLowerCase() !== meant.toLowerCase()) return noted
  if (object.origin?.writtenAt?.([...path.slice(0, -1), meant]) !== undefined) return noted
  return { ...noted, fix: { ...fix, edits: [{ path, rename: meant }] } }
}

function noteOf(written: string, { object }: Finding, lendingFields: boolean): string | null {
  if (written.endsWith('ConcurrencyShares') && object !== null) {
    const version = object.apiVersion as ApiVersion
    const { sharesField } = API_VERSIONS[version]
    return `in ${version} the field is called ${sharesField}; dropped, it leaves the default of ${DEFAULT_SHARES} shares`
  }
  const isLending = written === 'lendablePercent' || written === 'borrowingLimitPercent'
  if (isLending && !lendingFields) return 'the field came with Kubernetes 1.26'
  return written === 'exempt' ? 'spec.exempt came with Kubernetes 1.28, for the level exempt alone' : null
}
