/** YAML for the examples of rules about default objects. */
import { LISTS_OF_PODS, REPORTER, ruleYaml, schemaYaml } from './examples.ts'

/** The suggested FlowSchema `global-default`, as the server writes it but for its precedence. */
export function suggestedSchema(autoupdate: string, precedence: number): string {
  const everyone = ['system:unauthenticated', 'system:authenticated'].map(
    (name) => `{kind: Group, group: {name: '${name}'}}`,
  )
  const everything = `\
resourceRules:
  - verbs: ['*']
    apiGroups: ['*']
    resources: ['*']
    clusterScope: true
    namespaces: ['*']
nonResourceRules:
  - verbs: ['*']
    nonResourceURLs: ['*']
`
  const schema = schemaYaml({
    name: 'global-default',
    precedence,
    level: 'global-default',
    rules: ruleYaml(everyone, everything),
  })
  return annotated(schema, 'global-default', autoupdate)
}

/** A FlowSchema of a user that says whether the server maintains it. */
export function autoupdatedSchema(autoupdate: string): string {
  return annotated(schemaYaml({ rules: ruleYaml([REPORTER], LISTS_OF_PODS) }), 'shop-reports', autoupdate)
}

function annotated(yaml: string, name: string, autoupdate: string): string {
  return yaml.replace(
    `  name: ${name}\n`,
    `  name: ${name}\n  annotations:\n    apf.kubernetes.io/autoupdate-spec: '${autoupdate}'\n`,
  )
}
