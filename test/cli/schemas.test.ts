import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { FlowSchemas } from '../../src/report/contract.ts'
import { apf } from '../support/cli.ts'

const WITH_SHOP = ['schemas', '--from', 'examples/shop.yaml', '--defaults', '1.37']

describe('schemas', () => {
  it('lists the default schemas in the order tried', async () => {
    const { code, stdout, stderr } = await apf(['schemas', '--defaults', '1.37'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(`\
ORDER  PRECEDENCE  FLOWSCHEMA                    LEVEL            FLOWS BY   WHO                               NOTE
    1           1  exempt                        exempt           -          group system:masters              mandatory
    2           2  probes                        exempt           -          everyone                          built-in
    3         100  system-leader-election        leader-election  user       kcm, scheduler, sa kube-system/*  built-in
    4         400  system-node-high              node-high        user       group system:nodes                built-in
    5         500  system-nodes                  system           user       group system:nodes                built-in
    6         800  kube-controller-manager       workload-high    namespace  kcm                               built-in
    7         800  kube-scheduler                workload-high    namespace  scheduler                         built-in
    8         900  kube-system-service-accounts  workload-high    namespace  sa kube-system/*                  built-in
    9        9000  service-accounts              workload-low     user       all ServiceAccounts               built-in
   10        9900  global-default                global-default   user       everyone                          built-in
   11       10000  catch-all                     catch-all        user       everyone                          mandatory
`)
  })

  it('shows a dangling schema where it would stand', async () => {
    const { code, stdout } = await apf([...WITH_SHOP, '--no-headers'])
    expect(code).toBe(0)
    expect(stdout.split('\n').slice(8, 11)).toEqual([
      ' 9   1500  shop-reports                  shop-reports     user       sa shop/reporter',
      '10   1600  shop-imports                  shop-import      user       sa shop/*                         dangling: takes nothing',
      '11   9000  service-accounts              workload-low     user       all ServiceAccounts               built-in',
    ])
  })

  it('adds the mandatory objects that the files lack, as every server does', async () => {
    const { stdout } = await apf(['schemas', '--from', 'examples/shop.yaml', '--no-headers'])
    expect(stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '|'))).toEqual([
      '1|1|exempt|exempt|-|group system:masters|mandatory',
      '2|1500|shop-reports|shop-reports|user|sa shop/reporter',
      '3|1600|shop-imports|shop-import|user|sa shop/*|dangling: takes nothing',
      '4|10000|catch-all|catch-all|user|everyone|mandatory',
      '',
    ])
  })

  it('says where objects stand with -o wide', async () => {
    const { stdout } = await apf([...WITH_SHOP, '-o', 'wide'])
    expect(stdout).toMatch(/^ORDER .* TYPE .* WHERE$/m)
    expect(stdout).toMatch(/shop-reports +Queue +user .* examples\/shop\.yaml:\d+$/m)
    expect(stdout).toMatch(/shop-import +\? +user /m)
    expect(stdout).toMatch(/exempt +Exempt +- .* defaults 1\.37$/m)
  })

  it('answers programs in JSON', async () => {
    const { stdout } = await apf([...WITH_SHOP, '-o', 'json'])
    const answer: FlowSchemas = JSON.parse(stdout)
    expect(answer).toMatchObject({
      apiVersion: 'apf.kubectl/v1alpha1',
      kind: 'FlowSchemas',
      source: { kind: 'files', serverVersion: '1.37', mode: null },
    })
    expect(answer.flowSchemas).toHaveLength(13)
    expect(answer.flowSchemas[9]).toEqual({
      order: 10,
      name: 'shop-imports',
      uid: null,
      matchingPrecedence: 1600,
      priorityLevel: { name: 'shop-import', type: null, response: null },
      distinguisherMethod: 'ByUser',
      subjects: [{ kind: 'ServiceAccount', namespace: 'shop', name: '*' }],
      inForce: false,
      because: 'priority level shop-import does not exist',
      origin: 'custom',
      file: 'examples/shop.yaml',
      line: 42,
    })
  })

  it('says the same in YAML', async () => {
    const [json, yaml] = await Promise.all([apf([...WITH_SHOP, '-o', 'json']), apf([...WITH_SHOP, '-o', 'yaml'])])
    expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout))
  })

  it('reads standard input', async () => {
    const stdin =
      '{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"a\\u202eb"},"spec":{"matchingPrecedence":7,"priorityLevelConfiguration":{"name":"exempt"}}}'
    const { code, stdout } = await apf(['schemas', '--from', '-', '--defaults', '1.37', '--no-headers'], { stdin })
    expect(code).toBe(0)
    expect(stdout).toContain(' 3      7  a\\u{202e}b ')
  })

  it('exits with 2 when an input could not be used, and answers from the rest', async () => {
    const stdin =
      'kind: [\n---\napiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: rest}\n'
    const { code, stdout, stderr } = await apf(['schemas', '--from', '-', '--defaults', '1.37', '-o', 'name'], {
      stdin,
    })
    expect(code).toBe(2)
    expect(stdout).toContain('flowschema.flowcontrol.apiserver.k8s.io/rest\n')
    expect(stderr).toMatch(/^<stdin>:\d+:\d+: error: /m)
  })

  it('adds sources on demand and silences notes', async () => {
    const verbose = await apf([...WITH_SHOP, '-v', '-o', 'name'])
    expect(verbose.stderr).toContain(
      'FlowSchemas and 9 priority levels from examples/shop.yaml over defaults 1.37; server version 1.37 (given)\n',
    )
    expect((await apf([...WITH_SHOP, '-v', '-q', '-o', 'name'])).stderr).toBe('')
  })
})
