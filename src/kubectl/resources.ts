/** The resources that Kubernetes itself serves, for names as users write them when no cluster can be asked. */

export interface KnownResource {
  /** Plural, as it stands in URLs and resource rules. */
  resource: string
  singular: string
  kind: string
  shortNames: readonly string[]
  /** '' is the core group. */
  group: string
  /** The version that a server prefers; of a resource that is gone, the last one. */
  version: string
  namespaced: boolean
  subresources: readonly string[]
}

/** Resources in the order in which kubectl prefers their groups: of several with one name, the first is meant. */
export type ResourceCatalog = readonly KnownResource[]

/**
 * Every resource of a server's own groups in Kubernetes 1.20 to 1.37, optional API versions included, and those of
 * metrics-server. A group line (name, preferred version) is followed by its resources: plural, kind, scope, short names,
 * subresources, and the version where it is not the group's. Groups stand in the order of a server's discovery.
 * Source: kubernetes/kubernetes api/discovery and pkg/registry.
 */
const TABLE = `
core v1
  bindings Binding namespaced - -
  componentstatuses ComponentStatus cluster cs -
  configmaps ConfigMap namespaced cm -
  endpoints Endpoints namespaced ep -
  events Event namespaced ev -
  limitranges LimitRange namespaced limits -
  namespaces Namespace cluster ns finalize,status
  nodes Node cluster no proxy,status
  persistentvolumeclaims PersistentVolumeClaim namespaced pvc status
  persistentvolumes PersistentVolume cluster pv status
  pods Pod namespaced po attach,binding,ephemeralcontainers,eviction,exec,log,portforward,proxy,resize,status
  podtemplates PodTemplate namespaced - -
  replicationcontrollers ReplicationController namespaced rc scale,status
  resourcequotas ResourceQuota namespaced quota status
  secrets Secret namespaced - -
  serviceaccounts ServiceAccount namespaced sa token
  services Service namespaced svc proxy,status
apiregistration.k8s.io v1
  apiservices APIService cluster - status
apps v1
  controllerrevisions ControllerRevision namespaced - -
  daemonsets DaemonSet namespaced ds status
  deployments Deployment namespaced deploy scale,status
  replicasets ReplicaSet namespaced rs scale,status
  statefulsets StatefulSet namespaced sts scale,status
events.k8s.io v1
  events Event namespaced ev -
authentication.k8s.io v1
  selfsubjectreviews SelfSubjectReview cluster - -
  tokenreviews TokenReview cluster - -
authorization.k8s.io v1
  localsubjectaccessreviews LocalSubjectAccessReview namespaced - -
  selfsubjectaccessreviews SelfSubjectAccessReview cluster - -
  selfsubjectrulesreviews SelfSubjectRulesReview cluster - -
  subjectaccessreviews SubjectAccessReview cluster - -
autoscaling v2
  horizontalpodautoscalers HorizontalPodAutoscaler namespaced hpa status
batch v1
  cronjobs CronJob namespaced cj status
  jobs Job namespaced - status
certificates.k8s.io v1
  certificatesigningrequests CertificateSigningRequest cluster csr approval,status
  clustertrustbundles ClusterTrustBundle cluster - -
  podcertificaterequests PodCertificateRequest namespaced - status
networking.k8s.io v1
  clustercidrs ClusterCIDR cluster cc - v1alpha1
  ingressclasses IngressClass cluster - -
  ingresses Ingress namespaced ing status
  ipaddresses IPAddress cluster ip -
  networkpolicies NetworkPolicy namespaced netpol status
  servicecidrs ServiceCIDR cluster - status
extensions v1beta1
  ingresses Ingress namespaced ing status
policy v1
  poddisruptionbudgets PodDisruptionBudget namespaced pdb status
  podsecuritypolicies PodSecurityPolicy cluster psp - v1beta1
rbac.authorization.k8s.io v1
  clusterrolebindings ClusterRoleBinding cluster - -
  clusterroles ClusterRole cluster - -
  rolebindings RoleBinding namespaced - -
  roles Role namespaced - -
storage.k8s.io v1
  csidrivers CSIDriver cluster - -
  csinodes CSINode cluster - status
  csistoragecapacities CSIStorageCapacity namespaced - -
  storageclasses StorageClass cluster sc -
  volumeattachments VolumeAttachment cluster - status
  volumeattributesclasses VolumeAttributesClass cluster vac -
admissionregistration.k8s.io v1
  mutatingadmissionpolicies MutatingAdmissionPolicy cluster - -
  mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding cluster - -
  mutatingwebhookconfigurations MutatingWebhookConfiguration cluster - -
  validatingadmissionpolicies ValidatingAdmissionPolicy cluster - status
  validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cluster - -
  validatingwebhookconfigurations ValidatingWebhookConfiguration cluster - -
apiextensions.k8s.io v1
  customresourcedefinitions CustomResourceDefinition cluster crd,crds status
scheduling.k8s.io v1
  compositepodgroups CompositePodGroup namespaced - status v1alpha3
  podgroups PodGroup namespaced - status v1beta1
  priorityclasses PriorityClass cluster pc -
  workloads Workload namespaced - - v1beta1
coordination.k8s.io v1
  leasecandidates LeaseCandidate namespaced - - v1beta1
  leases Lease namespaced - -
node.k8s.io v1
  runtimeclasses RuntimeClass cluster - -
discovery.k8s.io v1
  endpointslices EndpointSlice namespaced - -
resource.k8s.io v1
  deviceclasses DeviceClass cluster - -
  devicetaintrules DeviceTaintRule cluster - status
  podschedulingcontexts PodSchedulingContext namespaced - status v1alpha3
  podschedulings PodScheduling namespaced - status v1alpha1
  resourceclaimparameters ResourceClaimParameters namespaced - - v1alpha2
  resourceclaims ResourceClaim namespaced - status
  resourceclaimtemplates ResourceClaimTemplate namespaced - -
  resourceclasses ResourceClass cluster - - v1alpha2
  resourceclassparameters ResourceClassParameters namespaced - - v1alpha2
  resourcepoolstatusrequests ResourcePoolStatusRequest cluster - status v1alpha3
  resourceslices ResourceSlice cluster - -
flowcontrol.apiserver.k8s.io v1
  flowschemas FlowSchema cluster - status
  prioritylevelconfigurations PriorityLevelConfiguration cluster - status
internal.apiserver.k8s.io v1alpha1
  storageversions StorageVersion cluster - status
storagemigration.k8s.io v1
  storageversionmigrations StorageVersionMigration cluster - status
lifecycle.k8s.io v1alpha1
  evictionrequests EvictionRequest namespaced - status
  evictions Eviction namespaced - status
metrics.k8s.io v1beta1
  nodes NodeMetrics cluster - -
  pods PodMetrics namespaced - -
`

/** The members of kubectl's category `all`, in the order in which `kubectl get all` asks for them. */
export const categoryAll: readonly string[] = [
  'pods',
  'replicationcontrollers',
  'services',
  'daemonsets.apps',
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'horizontalpodautoscalers.autoscaling',
  'cronjobs.batch',
  'jobs.batch',
]

let parsedTable: ResourceCatalog | undefined

/** The built-in table, parsed at its first use. */
export function builtInResources(): ResourceCatalog {
  parsedTable ??= parseTable(TABLE)
  return parsedTable
}

function parseTable(table: string): ResourceCatalog {
  const resources: KnownResource[] = []
  let group = ''
  let groupVersion = ''
  for (const line of table.trim().split('\n')) {
    const [first = '', second = '', scope, shortNames = '-', subresources = '-', version] = line.trim().split(' ')
    if (!line.startsWith(' ')) {
      group = first === 'core' ? '' : first
      groupVersion = second
      continue
    }
    resources.push({
      resource: first,
      singular: second.toLowerCase(),
      kind: second,
      shortNames: parseList(shortNames),
      group,
      version: version ?? groupVersion,
      namespaced: scope === 'namespaced',
      subresources: parseList(subresources),
    })
  }
  return resources
}

function parseList(text: string): string[] {
  return text === '-' ? [] : text.split(',')
}

/**
 * Finds a resource by plural, singular, kind or short name, in any case. A group may be cut short as with kubectl:
 * `leases.coordination`. A full name wins over a short name, an exact group over the beginning of one.
 *
 * @param group  undefined where none was written; '' is the core group alone
 */
export function findResource(
  catalog: ResourceCatalog,
  name: string,
  group: string | undefined,
): KnownResource | undefined {
  const wanted = name.toLowerCase()
  const isNamed = (candidate: KnownResource) => candidate.resource === wanted || candidate.singular === wanted
  const isShort = (candidate: KnownResource) => candidate.shortNames.includes(wanted)
  const inGroup = (candidate: KnownResource) => group === undefined || candidate.group === group
  const inGroupLike = (candidate: KnownResource) =>
    group !== undefined && group !== '' && candidate.group.startsWith(group)
  for (const fitsGroup of [inGroup, inGroupLike]) {
    for (const fitsName of [isNamed, isShort]) {
      const found = catalog.find((candidate) => fitsGroup(candidate) && fitsName(candidate))
      if (found) return found
    }
  }
  return undefined
}
