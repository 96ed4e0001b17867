import { nameOf } from '../clauses.ts'
import { LISTS_OF_PODS, levelYaml, REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { AKS_GUARD } from '../providers/index.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF220',
  name: 'managed-guard',
  severity: 'info',
  summary: 'The provider throttles clients after the API server ran out of memory',
  documentation: {
    what:
      `The FlowSchema \`${AKS_GUARD}\` of AKS. It appears when the API server of the cluster was killed for its memory again and ` +
      'again, and sends requests of clients that are not of the system to a small level of the same name.',
    why:
      'Clients get 429 from that level. Deleting it first leaves the server to the load that brought it down, and AKS may bring it ' +
      'back.',
    fix:
      'Find the clients whose LISTs cost most, and mend them: fewer of them, pages, watches. Then delete schema and level. With the ' +
      'label `aks-managed-skip-update-operation=true` on both, AKS keeps changes of yours.',
    fails: {
      defaults: '1.34',
      yaml: `${schemaYaml({ name: AKS_GUARD, level: AKS_GUARD, precedence: 8000, rules: ruleYaml([REPORTER], LISTS_OF_PODS) })}---\n${levelYaml(AKS_GUARD)}`,
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], LISTS_OF_PODS) }),
    },
  },
  *check({ own }) {
    for (const schema of own.flowSchemas) {
      if (schema.metadata.name !== AKS_GUARD) continue
      yield {
        object: schema,
        path: ['metadata', 'name'],
        message: `${nameOf(schema)} is in force: AKS throttles clients because the API server ran out of memory repeatedly`,
        note: 'it comes back, or the server goes down again, while the load is the same',
        fix: { text: 'find and mend the clients whose LISTs cost most before deleting it' },
      }
    }
  },
})
