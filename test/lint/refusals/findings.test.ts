import { describe, expect, it } from 'vitest'
import { applyEdits, editsOf } from '../../../src/lint/edits.ts'
import { lint } from '../../../src/lint/engine.ts'
import { edited, LEVEL, SCHEMA } from '../../../src/lint/refusal-examples.ts'
import { RULES } from '../../../src/lint/rules/index.ts'
import { sourceText } from '../../../src/sources/source-text.ts'
import { contextOf } from '../routing/lint-yaml.ts'

const REFUSAL_RULES = RULES.filter(({ id }) => id.startsWith('APF1'))

async function findings(yaml: string, defaults: string) {
  const found = lint([await contextOf(yaml, { defaults })], REFUSAL_RULES)
  return found.map(({ rule, severity, message, note, fix }) =>
    [`${rule.id} ${severity} ${message}`, note, fix?.text].filter((part) => part != null).join(' | '),
  )
}

/** The text after all edits of all fixes. */
async function fixed(yaml: string, defaults = '1.34') {
  const file = '<stdin>'
  const found = lint([await contextOf(yaml, { defaults })], REFUSAL_RULES)
  const texts = new Map([[file, sourceText(file, yaml)]])
  const edits = found.flatMap((finding) => editsOf(finding, texts)).sort((a, b) => a.start - b.start)
  return applyEdits(yaml, edits)
}

function schema(part: string, replacement: string): string {
  return edited(SCHEMA, part, replacement)
}

function level(part: string, replacement: string): string {
  return edited(LEVEL, part, replacement)
}

const NAME = '  name: shop-reports\n'
const OF = 'FlowSchema shop-reports'
const LEVEL_OF = 'PriorityLevelConfiguration shop'

describe('what a server refuses', () => {
  const cases: [yaml: string, finding: string][] = [
    [
      schema('  name: shop-reports', '  name: Shop-Reports'),
      'APF110 error FlowSchema Shop-Reports: metadata.name "Shop-Reports" must be of lower-case letters, digits, - and ., with a letter or a digit at both ends | names have no capitals: write shop-reports, if it is called that',
    ],
    [
      schema('    name: shop\n', '    name: shop_a\n'),
      `APF110 error ${OF}: spec.priorityLevelConfiguration.name "shop_a" must be of lower-case letters, digits, - and ., with a letter or a digit at both ends`,
    ],
    [
      schema('namespace: shop,', "namespace: '*',"),
      `APF110 error ${OF}: spec.rules[0].subjects[0].serviceAccount.namespace "*" must be of lower-case letters, digits and -, with a letter or a digit at both ends | all ServiceAccounts of all namespaces are the group system:serviceaccounts`,
    ],
    [
      schema('namespaces: [shop]', 'namespaces: [shop.a]'),
      `APF110 error ${OF}: spec.rules[0].resourceRules[0].namespaces[0] "shop.a" must be * or of lower-case letters, digits and -, with a letter or a digit at both ends`,
    ],
    [
      schema(NAME, `${NAME}  labels: {a/b/c: d}\n`),
      `APF111 error ${OF}: metadata.labels "a/b/c" must be a name, or a DNS name and a name with one / between them`,
    ],
    [
      schema('    name: shop\n', "    name: ''\n"),
      `APF112 error ${OF}: spec.priorityLevelConfiguration.name is missing: must reference a priority level`,
    ],
    [
      schema("          apiGroups: ['']\n", ''),
      `APF112 error ${OF}: spec.rules[0].resourceRules[0].apiGroups is missing: resource rules must supply at least one api group | write [""] for the core group, ["*"] for all groups`,
    ],
    [schema('1500', '-1'), `APF113 error ${OF}: spec.matchingPrecedence -1 must be a positive value`],
    [schema('1500', '10001'), `APF113 error ${OF}: spec.matchingPrecedence 10001 must not be greater than 10000`],
    [
      schema('1500', '1'),
      `APF114 error ${OF}: matchingPrecedence 1 is for the FlowSchema exempt alone | write 2, the first precedence that is free for all`,
    ],
    [
      schema('type: ByUser', 'type: byuser'),
      `APF115 error ${OF}: spec.distinguisherMethod.type: "byuser" is not supported | supported: ByNamespace, ByUser | did you mean "ByUser"?`,
    ],
    [
      schema('verbs: [list]', 'verbs: [list, LIST, reads]'),
      `APF115 error ${OF}: spec.rules[0].resourceRules[0].verbs: "LIST" and "reads" are not supported | supported: create, delete, deletecollection, get, list, patch, proxy, update, watch | did you mean "list"?`,
    ],
    [
      level('type: Limited', 'type: limited'),
      `APF115 error ${LEVEL_OF}: spec.type: "limited" is not supported | supported: Exempt, Limited | did you mean "Limited"?`,
    ],
    [
      schema('kind: ServiceAccount,', 'kind: User, user: {name: ann},'),
      `APF116 error ${OF}: spec.rules[0].subjects[0].serviceAccount is not allowed: serviceAccount is forbidden when subject kind is not 'ServiceAccount'`,
    ],
    [
      schema('resources: [pods]', "resources: [pods, '*']"),
      `APF117 error ${OF}: spec.rules[0].resourceRules[0].resources ["pods", "*"]: if '*' is present, must not specify other resources`,
    ],
    [
      LEVEL.replace(
        /name: shop\nspec:.*/s,
        'name: exempt\nspec:\n  type: Limited\n  limited: {nominalConcurrencyShares: 5, limitResponse: {type: Reject}}\n',
      ),
      'APF119 error PriorityLevelConfiguration exempt: type "Limited", but the level of this name must be of type Exempt',
    ],
    [
      level('      queuing:\n        queues: 64\n        handSize: 6\n        queueLengthLimit: 50\n', ''),
      `APF120 error ${LEVEL_OF}: spec.limited.limitResponse.queuing is missing: must not be empty if limited.limitResponse.type is Limited | write queuing: {} for the defaults`,
    ],
    [
      level('Shares: 20', 'Shares: -1'),
      `APF121 error ${LEVEL_OF}: spec.limited.nominalConcurrencyShares -1 must be a non-negative integer`,
    ],
    [
      level('lendablePercent: 50', 'borrowingLimitPercent: -5'),
      `APF122 error ${LEVEL_OF}: spec.limited.borrowingLimitPercent -5: if specified, must be a non-negative integer`,
    ],
    [
      level('        handSize: 6\n', '').replace('queues: 64', 'queues: 7'),
      `APF123 error ${LEVEL_OF}: spec.limited.limitResponse.queuing.handSize 8 should not be greater than queues (7) | handSize is not written, and 8 is its default`,
    ],
    [
      level('handSize: 6', 'handSize: 12').replace('queues: 64', 'queues: 1024'),
      `APF123 error ${LEVEL_OF}: spec.limited.limitResponse.queuing.handSize 12: required entropy bits of deckSize 1024 and handSize 12 should not be greater than 60`,
    ],
    [
      level('name: shop', 'name: catch-all'),
      'APF124 error PriorityLevelConfiguration catch-all: the spec of this PriorityLevelConfiguration is fixed, it must be that of the built-in object | it differs from the built-in object in spec.limited.nominalConcurrencyShares, spec.limited.lendablePercent, spec.limited.limitResponse.type, spec.limited.limitResponse.queuing | leave catch-all out, or choose another name',
    ],
  ]
  it.each(cases.map(([yaml, finding]) => ({ yaml, finding })))('$finding', async ({ yaml, finding }) => {
    expect(await findings(yaml, '1.34')).toContain(finding)
  })
})

describe('what a server changes, and what kubectl reads', () => {
  const cases: [yaml: string, defaults: string, findings: string[]][] = [
    [
      schema('1500', '0500'),
      '1.34',
      [
        `APF130 warning ${OF}: spec.matchingPrecedence 0500 is read as 320, an octal number | write 500, if that is meant, else 320`,
      ],
    ],
    [
      schema('1500', '0o17'),
      '1.34',
      [
        `APF130 info ${OF}: spec.matchingPrecedence 0o17 is read as 15 | other readers of YAML may take it otherwise | write 15`,
      ],
    ],
    [
      schema('1500', '1e3'),
      '1.34',
      [
        `APF130 info ${OF}: spec.matchingPrecedence 1e3 is read as 1000 | other readers of YAML may take it otherwise | write 1000`,
      ],
    ],
    [
      schema('1500', '08'),
      '1.34',
      [
        `APF130 info ${OF}: spec.matchingPrecedence 08 is read as 8 | other readers of YAML may take it otherwise | write 8`,
      ],
    ],
    [
      schema('name: reporter', 'name: off'),
      '1.34',
      [
        `APF102 error ${OF}: spec.rules[0].subjects[0].serviceAccount.name is false, must be a string | put it in quotes: YAML reads bare yes, no, on, off, y and n as true or false`,
      ],
    ],
    [
      schema(NAME, `${NAME}  labels: {y: a}\n`),
      '1.34',
      [`APF130 warning ${OF}: a key without quotes in metadata.labels is read as true | put it in quotes`],
    ],
    [schema(NAME, `${NAME}  labels: {"y": a, 'no': b}\n`), '1.34', []],
    [schema(NAME, `${NAME}  labels: {true: a}\n`), '1.34', []],
    [schema('1500', '1500 # not 01500'), '1.34', []],
    [
      level('Shares: 20', 'Shares: 0').replace('/v1', '/v1beta3'),
      '1.28',
      [
        `APF106 warning ${LEVEL_OF}: the server replaces spec.limited.nominalConcurrencyShares 0 by the default 30 | write 30, or the value that is meant`,
      ],
    ],
    [
      level('Shares: 20', 'Shares: 0'),
      '1.29',
      [
        `APF121 error ${LEVEL_OF}: spec.limited.nominalConcurrencyShares 0 must be positive | a level may have zero shares from Kubernetes 1.30 on`,
      ],
    ],
    [level('Shares: 20', 'Shares: 0'), '1.30', []],
    [
      level(
        '  name: shop\n',
        "  name: shop\n  annotations: {flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares: ''}\n",
      )
        .replace('    nominalConcurrencyShares: 20\n', '')
        .replace('/v1', '/v1beta3'),
      '1.31',
      [
        `APF105 warning ${LEVEL_OF}: flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration is deprecated in v1.29+, unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration | use flowcontrol.apiserver.k8s.io/v1`,
        `APF126 warning ${LEVEL_OF} has no nominalConcurrencyShares, so it has 0 shares | the annotation that keeps zeros makes zero the default | write the shares`,
      ],
    ],
    [
      level('nominal', 'assured'),
      '1.34',
      [
        `APF101 error ${LEVEL_OF}: v1 has no field spec.limited.assuredConcurrencyShares | in v1 the field is called nominalConcurrencyShares; dropped, it leaves the default of 30 shares | write nominalConcurrencyShares`,
      ],
    ],
    [
      level('nominal', 'assured').replace('/v1', '/v1beta2'),
      '1.25',
      [
        `APF101 error ${LEVEL_OF}: v1beta2 has no field spec.limited.lendablePercent | the field came with Kubernetes 1.26`,
      ],
    ],
    [
      level('nominal', 'assured').replace('/v1', '/v1beta2'),
      '1.24',
      [
        `APF101 warning ${LEVEL_OF}: v1beta2 has no field spec.limited.lendablePercent | the field came with Kubernetes 1.26`,
      ],
    ],
    [
      schema(NAME, '  generateName: shop-\n'),
      '1.34',
      [
        'APF109 warning metadata.generateName leaves the name of this FlowSchema to the server; order and references rest on it | give it a metadata.name',
      ],
    ],
    [
      schema('kind: FlowSchema', 'kind: Flowschema'),
      '1.34',
      [
        'APF100 error Flowschema shop-reports: no kind Flowschema in flowcontrol.apiserver.k8s.io/v1 | did you mean FlowSchema?',
      ],
    ],
    [
      schema('flowcontrol.apiserver.k8s.io/v1', 'apps/v1'),
      '1.34',
      [
        'APF100 error FlowSchema shop-reports: no kind FlowSchema in apps/v1 | versions of flowcontrol.apiserver.k8s.io: v1alpha1, v1beta1, v1beta2, v1beta3, v1',
      ],
    ],
  ]
  const rows = cases.map(([yaml, defaults, expected]) => ({ yaml, defaults, expected, what: expected[0] ?? 'nothing' }))
  it.each(rows)('$what in $defaults', async ({ yaml, defaults, expected }) => {
    const found = await findings(yaml, defaults)
    expect(found.filter((finding) => !finding.startsWith('APF126 info'))).toEqual(expected)
  })
})

describe('fixes that are edits', () => {
  const cases: [what: string, yaml: string, defaults: string, fixed: string][] = [
    ['the case of a key', schema('matchingPrecedence', 'matchingprecedence'), '1.34', SCHEMA],
    ['the case of a word', schema('ByUser', 'byuser'), '1.34', SCHEMA],
    ['the case of a verb', schema('[list]', '[LIST] # all'), '1.34', schema('[list]', '[list] # all')],
    ['the shares of another version', level('nominal', 'assured'), '1.34', LEVEL],
    ['a namespace', schema(NAME, `${NAME}  namespace: shop\n`), '1.34', SCHEMA],
    [
      'what only a server writes',
      `${schema(NAME, `${NAME}  uid: abc\n`)}status: {conditions: [{type: x}]}\n`,
      '1.34',
      SCHEMA,
    ],
    ['a version that is gone', schema('/v1', '/v1beta2'), '1.32', SCHEMA],
    ['a version that is gone, and its shares', level('nominal', 'assured').replace('/v1', '/v1beta2'), '1.32', LEVEL],
    ['a version that is not there yet', LEVEL, '1.28', level('/v1', '/v1beta3')],
    [
      'no zero shares of a version that replaces them',
      level('Shares: 20', 'Shares: 0').replace('/v1', '/v1beta3'),
      '1.32',
      level('Shares: 20', 'Shares: 0').replace('/v1', '/v1beta3'),
    ],
  ]
  it.each(cases)('%s', async (_, yaml, defaults, expected) => {
    expect(await fixed(yaml, defaults)).toBe(expected)
  })
})
