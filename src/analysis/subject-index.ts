/** Which FlowSchemas name an identity, without asking every one of them. */
import { serviceAccountOf } from '../apf/identity.ts'
import { subjectMatches, WILDCARD } from '../apf/match.ts'
import type { Subject } from '../apf/objects.ts'
import type { EffectiveConfiguration, EffectiveSchema } from '../apf/order.ts'
import type { Identity } from '../apf/request.ts'

const indices = new WeakMap<EffectiveConfiguration, SubjectIndex>()

/** The schemas in force that name an identity, in server order. */
export function schemasNaming(configuration: EffectiveConfiguration, identity: Identity): EffectiveSchema[] {
  let index = indices.get(configuration)
  if (index === undefined) {
    index = new SubjectIndex(configuration.order)
    indices.set(configuration, index)
  }
  return index.naming(identity)
}

export class SubjectIndex {
  readonly #bySubject = new Map<string, Set<EffectiveSchema>>()
  readonly #places: ReadonlyMap<EffectiveSchema, number>

  constructor(entries: readonly EffectiveSchema[]) {
    this.#places = new Map(entries.map((entry, place) => [entry, place]))
    for (const entry of entries) {
      for (const subject of entry.schema.spec.rules.flatMap(({ subjects }) => subjects)) {
        const key = keyOf(subject)
        const known = this.#bySubject.get(key)
        if (known) known.add(entry)
        else this.#bySubject.set(key, new Set([entry]))
      }
    }
  }

  /** The entries of which a subject matches the identity, in the order given to the constructor. */
  naming(identity: Identity): EffectiveSchema[] {
    const found = new Set(keysOf(identity).flatMap((key) => [...(this.#bySubject.get(key) ?? [])]))
    return [...found]
      .filter(({ schema }) =>
        schema.spec.rules.some(({ subjects }) => subjects.some((subject) => subjectMatches(subject, identity))),
      )
      .sort((a, b) => (this.#places.get(a) ?? 0) - (this.#places.get(b) ?? 0))
  }
}

function keyOf({ kind, user, group, serviceAccount }: Subject): string {
  if (kind === 'ServiceAccount' && serviceAccount) return accountKey(serviceAccount.namespace, serviceAccount.name)
  return `${kind} ${(kind === 'User' ? user : group)?.name ?? ''}`
}

function accountKey(namespace: string, name: string): string {
  return `ServiceAccount ${namespace}/${name}`
}

function keysOf({ name, groups }: Identity): string[] {
  const account = serviceAccountOf(name)
  return [
    `User ${name}`,
    `User ${WILDCARD}`,
    `Group ${WILDCARD}`,
    ...groups.map((group) => `Group ${group}`),
    ...(account === null ? [] : [accountKey(account.namespace, account.name), accountKey(account.namespace, WILDCARD)]),
  ]
}
