import { movesBetween } from '../../analysis/moves.ts'
import { defaultObjects } from '../../apf/defaults/index.ts'
import { effectiveConfiguration } from '../../apf/order.ts'
import { minorText, type VersionRules } from '../../apf/versions.ts'
import { nameOf } from '../clauses.ts'
import { LISTS_OF_PODS, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule, type LintContext } from '../rule.ts'

const NODES = ["{kind: Group, group: {name: 'system:nodes'}}"]
const NODE_STATUS = LISTS_OF_PODS.replace('[list]', '[update]')
  .replace("['']", '[coordination.k8s.io]')
  .replace('[pods]', '[leases]')
  .replace('[shop]', '[kube-node-lease]')

export default defineRule({
  id: 'APF411',
  name: 'moved-by-upgrade',
  severity: 'warning',
  summary: 'An upgrade whose default objects take requests from a FlowSchema of yours, or leave it others',
  documentation: {
    what:
      'With `--upgrade-from` and `--upgrade-to`: a FlowSchema that takes other requests among the default objects of the ' +
      'version after than among those of the version before, over all requests and identities.',
    why: 'A new default object with a smaller precedence, or a tie won by its name, takes requests over without a word.',
    fix: 'Give the FlowSchema a precedence that keeps its place, and try it: `kubectl apf simulate --to-defaults`.',
    fails: {
      defaults: '1.24',
      upgradeFrom: '1.21',
      yaml: schemaYaml({ precedence: 450, rules: ruleYaml(NODES, NODE_STATUS) }),
    },
    passes: {
      defaults: '1.24',
      upgradeFrom: '1.21',
      yaml: schemaYaml({ precedence: 350, rules: ruleYaml(NODES, NODE_STATUS) }),
    },
  },
  *check(context) {
    const { own, configuration, options } = context
    if (options.upgrade === null) return
    const { from, to } = options.upgrade
    const before = configurationAt(from, context)
    const { moves } = movesBetween(before, configuration, { identities: 'any', rules: { before: from, after: to } })
    for (const schema of own.flowSchemas) {
      const { name } = schema.metadata
      const lost = moves.find((move) => move.from.schema.metadata.name === name)
      const won = moves.find((move) => move.to.schema.metadata.name === name)
      const move = lost ?? won
      if (move === undefined || lost?.to.schema === schema) continue
      const other = lost ? lost.to.schema : move.from.schema
      yield {
        severity: lost ? 'warning' : 'info',
        object: schema,
        path: ['spec', 'matchingPrecedence'],
        message: lost
          ? `${nameOf(schema)} loses requests to ${other.metadata.name} (${other.spec.matchingPrecedence}) with Kubernetes ${minorText(to.minor)}`
          : `${nameOf(schema)} takes requests of ${other.metadata.name} (${other.spec.matchingPrecedence}) with Kubernetes ${minorText(to.minor)}`,
        note: `for one: ${inWords(move.witness)}`,
        fix: { text: 'give it a precedence that keeps its place' },
      }
    }
  },
})

/** The objects in question among the default objects of a version. */
function configurationAt(rules: VersionRules, { own }: LintContext) {
  const defaults = defaultObjects(rules)
  const beside = <T extends { metadata: { name: string } }>(given: readonly T[], others: readonly T[]): T[] => {
    const names = new Set(given.map(({ metadata }) => metadata.name))
    return [...given, ...others.filter(({ metadata }) => !names.has(metadata.name))]
  }
  return effectiveConfiguration(
    beside(own.flowSchemas, defaults.flowSchemas),
    beside(own.priorityLevels, defaults.priorityLevels),
    rules,
  )
}

function inWords(line: { user: string; verb: string } & ({ path: string } | { resource: string })): string {
  return `${line.verb} ${'path' in line ? line.path : line.resource} by ${line.user}`
}
