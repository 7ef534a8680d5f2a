{{- define "kinora.labels" -}}
app.kubernetes.io/name: kinora
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "kinora.image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "kinora.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "kinora.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "kinora.environment" -}}
- name: NODE_ENV
  value: production
- name: PUBLIC_URL
  value: {{ required "publicUrl is the address that visitors use" .Values.publicUrl | quote }}
- name: HOST
  value: 0.0.0.0
- name: PORT
  value: "3000"
- name: HEALTH_PORT
  value: "9000"
- name: DATA_DIR
  value: /data
- name: DRAIN_MS
  value: "5000"
- name: TRUSTED_PROXIES
  value: {{ .Values.settings.TRUSTED_PROXIES | default 1 | quote }}
{{- range $name, $value := omit .Values.settings "TRUSTED_PROXIES" }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range .Values.secrets }}
- name: {{ . }}_FILE
  value: /run/secrets/kinora/{{ . }}
{{- end }}
{{- range .Values.files }}
- name: {{ . }}
  value: /run/secrets/kinora/{{ . }}
{{- end }}
{{- end }}

{{- define "kinora.mounts" -}}
- { name: secrets, mountPath: /run/secrets/kinora, readOnly: true }
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "kinora.volumes" -}}
- name: secrets
  secret:
    secretName: {{ .Values.secretName }}
    defaultMode: 0440
- name: tmp
  emptyDir: {}
{{- end }}

{{- define "kinora.data" -}}
- name: data
  {{- if . }}
  persistentVolumeClaim: { claimName: {{ . }} }
  {{- else }}
  emptyDir: {}
  {{- end }}
{{- end }}
