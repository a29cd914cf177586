"""Wordings of office papers in six languages: what `office_texts.py` makes passages and questions of.

A block of `KINDS` is one kind of fact: its name, what its subject and its values are, then lines. `en:` is a statement, `en?` a
question for the first value, `en?w` one for the second, `en?s` one for the subject, `en=` the label of a form, `en+:` and `en-:` say
yes and no, and `[…]` is the answer where it is more than the value. `{s}` is the subject, `{v}` and `{w}` are the values, `{c}` is
the paper's other party; `:g`, `:d` and `:a` ask for another case.
"""

from __future__ import annotations

LANGUAGES = ("en", "de", "es", "fr", "it", "zh")

# Pairs of parties; German with its genitive where that is not regular.
PARTIES = """
insurance
the policyholder|der Versicherungsnehmer|el tomador|le preneur d'assurance|il contraente|投保人
the insurer|der Versicherer|la aseguradora|l'assureur|l'assicuratore|保险人
lease
the tenant|der Mieter|el arrendatario|le locataire|il conduttore|承租人
the landlord|der Vermieter|el arrendador|le bailleur|il locatore|出租人
employment
the employee|der Arbeitnehmer|el trabajador|le salarié|il lavoratore|劳动者
the employer|der Arbeitgeber|la empresa|l'employeur|il datore di lavoro|用人单位
sale
the buyer|der Käufer|el comprador|l'acheteur|l'acquirente|买方
the seller|der Verkäufer|el vendedor|le vendeur|il venditore|卖方
licence
the licensee|der Lizenznehmer|el licenciatario|le licencié|il licenziatario|被许可方
the licensor|der Lizenzgeber|el licenciante|le concédant|il licenziante|许可方
service
the customer|der Kunde/n|el cliente|le client|il cliente|客户
the provider|der Anbieter|el proveedor|le prestataire|il fornitore|服务商
loan
the borrower|der Darlehensnehmer|el prestatario|l'emprunteur|il mutuatario|借款人
the lender|der Darlehensgeber|el prestamista|le prêteur|il mutuante|贷款人
exhibition
the exhibitor|der Aussteller|el expositor|l'exposant|l'espositore|参展商
the organiser|der Veranstalter|el organizador|l'organisateur|l'organizzatore|主办方
club
the member|das Mitglied|el socio|le membre|il socio|会员
the association|der Verein|la asociación|l'association|l'associazione|协会
clinic
the patient|der Patient/en|el paciente|le patient|il paziente|患者
the clinic|die Klinik|la clínica|la clinique|la clinica|诊所
franchise
the franchisee|der Franchisenehmer|el franquiciado|le franchisé|l'affiliato|加盟商
the franchisor|der Franchisegeber|el franquiciador|le franchiseur|l'affiliante|特许方
works
the contractor|der Auftragnehmer|el contratista|l'entrepreneur|l'appaltatore|承包方
the client|der Auftraggeber|la propiedad|le maître d'ouvrage|il committente|发包方
carriage
the carrier|der Frachtführer|el transportista|le transporteur|il vettore|承运人
the shipper|der Absender|el cargador|l'expéditeur|il mittente|托运人
"""

KINDS = """
## notice party period:14-90:day,2-12:month,2-12:week
en: {s} may terminate this agreement by giving {v:g} written notice.
en: This contract can be cancelled by {s} subject to a period of {v}.
en: If {s} wishes to end the contract, written notice of at least [{v}] must be given.
en: For {s}, the period of notice is {v} to the end of a calendar month.
en? How long is the notice period for {s}?
en? How far in advance must {s} give notice to leave the contract?
en? With what notice can {s} cancel?
en? How much notice does {s} have to give to terminate?
en= Notice period
de: {s} kann den Vertrag mit einer Frist von {v:d} schriftlich kündigen.
de: Die Kündigungsfrist beträgt für {s:a} {v}.
de: Kündigt {s}, so ist eine Frist von {v:d} zum Monatsende einzuhalten.
de? Wie lang ist die Kündigungsfrist für {s:a}?
de? Mit welcher Frist kann {s} kündigen?
de? Wie lange im Voraus muss {s} den Vertrag beenden?
de= Kündigungsfrist
es: {s} podrá resolver el contrato con un preaviso escrito de {v}.
es: El plazo de preaviso para {s} es de {v}.
es? ¿Con cuánta antelación debe avisar {s} para terminar el contrato?
es? ¿Cuál es el plazo de preaviso para {s}?
es= Plazo de preaviso
fr: {s} peut résilier le contrat moyennant un préavis écrit de {v}.
fr: Pour {s}, le délai de résiliation est de {v}.
fr? Quel préavis {s} doit-il respecter ?
fr? Combien de temps à l'avance {s} doit-il résilier le contrat ?
fr= Délai de préavis
it: {s} può recedere dal contratto con un preavviso scritto di {v}.
it: Per {s} il termine di disdetta è di {v}.
it? Qual è il preavviso per {s}?
it? Con quanto anticipo {s} deve dare disdetta?
it= Preavviso di disdetta
zh: {s}可提前{v}书面通知解除本合同。
zh: {s}终止合同的，应提前{v}通知对方。
zh? {s}需要提前多久通知才能解除合同？
zh? {s}的解约通知期是多长？
zh= 解约通知期
## pay party period:5-90:day,2-8:week
en: {s} pays undisputed invoices within {v} of receipt.
en: Sums owed by {s} fall due {v} after the date of the invoice.
en: The time for payment by {s} is {v} net.
en? How long does {s} have to pay a bill?
en? When are invoices due from {s}?
en? What are the payment terms for {s}?
en= Payment term
de: {s} zahlt Rechnungen innerhalb von {v:d} nach Erhalt.
de: Das Zahlungsziel für {s:a} beträgt {v}.
de? Bis wann muss {s} eine Rechnung bezahlen?
de? Wie lang ist das Zahlungsziel für {s:a}?
de= Zahlungsziel
es: {s} pagará las facturas en un plazo de {v} desde su recepción.
es: El plazo de pago para {s} es de {v}.
es? ¿Cuánto tiempo tiene {s} para pagar una factura?
es? ¿En qué plazo vencen las facturas que debe {s}?
es= Plazo de pago
fr: {s} règle les factures dans un délai de {v} à compter de leur réception.
fr: Le délai de paiement accordé {s:d} est de {v}.
fr? Dans quel délai {s} doit-il payer les factures ?
fr? De combien de temps dispose {s} pour régler une facture ?
fr= Délai de paiement
it: {s} paga le fatture entro {v} dal ricevimento.
it: Il termine di pagamento per {s} è di {v}.
it? Entro quanto tempo {s} deve pagare le fatture?
it? Quanto tempo ha {s} per saldare una fattura?
it= Termine di pagamento
zh: {s}应在收到发票后{v}内付款。
zh: {s}的付款期限为{v}。
zh? {s}要在多长时间内付款？
zh? {s}的付款期限是多久？
zh= 付款期限
## report party period:2-30:day,12-72:hour
en: Damage must be reported in writing by {s} within {v} of its discovery.
en: {s} notifies the other party of any defect no later than {v} after becoming aware of it.
en? How quickly must {s} report damage?
en? What is the deadline for {s} to give notice of a defect?
en= Reporting deadline for damage
de: {s} meldet Schäden spätestens {v} nach ihrer Entdeckung.
de: Mängel sind durch {s:a} innerhalb von {v:d} schriftlich anzuzeigen.
de? Wie schnell muss {s} einen Schaden melden?
de? Innerhalb welcher Frist hat {s} Mängel anzuzeigen?
de= Meldefrist bei Schäden
es: {s} comunicará los daños a más tardar {v} después de conocerlos.
es: El plazo para que {s} notifique un defecto es de {v}.
es? ¿En cuánto tiempo debe {s} avisar de un daño?
es? ¿Qué plazo tiene {s} para notificar defectos?
es= Plazo para comunicar daños
fr: {s} signale tout dommage au plus tard {v} après en avoir pris connaissance.
fr: Le délai dont dispose {s} pour déclarer un défaut est de {v}.
fr? Sous quel délai {s} doit-il signaler un dommage ?
fr? Combien de temps {s} a-t-il pour déclarer un défaut ?
fr= Délai de déclaration des dommages
it: {s} denuncia i danni entro {v} dalla scoperta.
it: Eventuali vizi vanno comunicati per iscritto; per {s} il termine è di {v}.
it? Entro quando {s} deve denunciare un danno?
it? Quanto tempo ha {s} per segnalare un vizio?
it= Termine di denuncia dei danni
zh: {s}应在发现损坏后{v}内书面报告。
zh: {s}发现缺陷的，最迟须在{v}内通知对方。
zh? {s}发现损坏后多久内必须报告？
zh? {s}通报缺陷的期限是多久？
zh= 损坏报告期限
## liability party amount:5000-5000000
en: The aggregate liability of {s} is limited to {v} per calendar year.
en: {s} is not liable for more than [{v}] in total.
en: Claims against {s} are capped at {v}.
en? Up to what amount is {s} liable?
en? What is the most that {s} can be made to pay in damages?
en? Is there a cap on the liability of {s}?
en= Limit of liability
de: Die Haftung {s:g} ist auf {v} je Kalenderjahr begrenzt.
de: {s} haftet insgesamt höchstens mit {v}.
de? Bis zu welcher Höhe haftet {s}?
de? Wie viel Schadenersatz muss {s} höchstens leisten?
de= Haftungshöchstgrenze
es: La responsabilidad {s:g} se limita a {v} por año natural.
es: {s} responde en total hasta un máximo de {v}.
es? ¿Hasta qué importe responde {s}?
es? ¿Cuál es el límite de responsabilidad {s:g}?
es= Límite de responsabilidad
fr: La responsabilité {s:g} est plafonnée à {v} par année civile.
fr: {s} ne répond des dommages qu'à concurrence de {v}.
fr? Jusqu'à quel montant {s} est-il responsable ?
fr? Quel est le plafond de responsabilité {s:g} ?
fr= Plafond de responsabilité
it: La responsabilità {s:g} è limitata a {v} per anno solare.
it: {s} risponde complessivamente fino a un massimo di {v}.
it? Fino a quale importo risponde {s}?
it? Qual è il limite di responsabilità {s:g}?
it= Massimale di responsabilità
zh: {s}每个日历年度的赔偿责任以{v}为限。
zh: {s}承担的赔偿总额不超过{v}。
zh? {s}最多赔偿多少？
zh? {s}的责任上限是多少？
zh= 责任上限
## secrecy party period:2-10:year,12-60:month
en: {s} keeps confidential information secret for {v} after the end of the contract.
en: The duty of confidentiality binds {s} for a further {v} following termination.
en? How long does the confidentiality of {s} last once the contract is over?
en? For how many years or months must {s} keep secrets afterwards?
en= Confidentiality after termination
de: {s} wahrt die Vertraulichkeit noch {v} nach Vertragsende.
de: Die Geheimhaltungspflicht {s:g} gilt nach Beendigung für weitere {v}.
de? Wie lange muss {s} nach Vertragsende Stillschweigen bewahren?
de? Wie lange gilt die Geheimhaltungspflicht {s:g} fort?
de= Vertraulichkeit nach Vertragsende
es: {s} guardará la confidencialidad durante {v} tras el fin del contrato.
es: El deber de secreto {s:g} se mantiene {v} después de la terminación.
es? ¿Cuánto tiempo debe {s} guardar secreto al acabar el contrato?
es? ¿Cuánto dura el deber de confidencialidad {s:g}?
es= Confidencialidad tras el contrato
fr: {s} reste tenu au secret pendant {v} après la fin du contrat.
fr: L'obligation de confidentialité {s:g} survit {v} à la résiliation.
fr? Pendant combien de temps {s} doit-il garder le secret après le contrat ?
fr? Quelle est la durée de l'obligation de confidentialité {s:g} ?
fr= Confidentialité après le contrat
it: {s} mantiene la riservatezza per {v} dopo la fine del contratto.
it: L'obbligo di riservatezza {s:g} dura {v} dopo la cessazione.
it? Per quanto tempo {s} deve mantenere il segreto dopo il contratto?
it? Quanto dura l'obbligo di riservatezza {s:g}?
it= Riservatezza dopo il contratto
zh: 合同终止后{v}内，{s}仍应保守秘密。
zh: {s}的保密义务在合同结束后持续{v}。
zh? 合同结束后{s}要保密多久？
zh? {s}的保密义务持续多长时间？
zh= 合同终止后的保密期
## records party period:2-12:year
en: {s} retains all records and receipts for {v}.
en: Documents must be kept by {s} for no less than [{v}].
en? How long must {s} store the documents?
en? For what period does {s} keep receipts?
en= Retention of records
de: {s} bewahrt Unterlagen und Belege {v} lang auf.
de: Für {s:a} gilt eine Aufbewahrungsfrist von {v:d}.
de? Wie lange muss {s} Belege aufbewahren?
de= Aufbewahrungsfrist
es: {s} conservará los documentos y justificantes durante {v}.
es? ¿Cuánto tiempo debe {s} guardar los documentos?
es= Conservación de documentos
fr: {s} conserve les documents et justificatifs pendant {v}.
fr? Combien de temps {s} doit-il garder les justificatifs ?
fr= Conservation des documents
it: {s} conserva documenti e ricevute per {v}.
it? Per quanto tempo {s} deve conservare i documenti?
it= Conservazione dei documenti
zh: {s}应将单据和记录保存{v}。
zh? {s}的单据要保存多久？
zh= 单据保存期
## penalty party amount:50-20000
en: If {s} is in breach of this clause, a contractual penalty of {v} becomes payable.
en: For each breach {s} owes a fixed sum of {v}.
en? What penalty does {s} face for a breach?
en? How much is due when {s} breaks the clause?
en? What must {s} pay as a penalty for breaking the clause?
en= Contractual penalty
de: Bei einem Verstoß schuldet {s} eine Vertragsstrafe von {v}.
de: Für jede Zuwiderhandlung zahlt {s} pauschal {v}.
de? Welche Vertragsstrafe droht {s:d} bei einem Verstoß?
de? Was kostet {s:a} ein Verstoß?
de= Vertragsstrafe
es: En caso de incumplimiento, {s} pagará una penalización de {v}.
es? ¿Qué penalización paga {s} si incumple?
es? ¿Cuánto debe pagar {s} como penalización?
es= Penalización
fr: En cas de manquement, {s} doit une pénalité de {v}.
fr? Quelle pénalité {s} doit-il en cas de manquement ?
fr? À combien s'élève la pénalité due par {s} ?
fr= Pénalité
it: In caso di inadempimento {s} deve una penale di {v}.
it? Quale penale deve {s} se non rispetta la clausola?
it? A quanto ammonta la penale dovuta da {s}?
it= Penale
zh: {s}违约的，应支付违约金{v}。
zh? {s}违约要付多少违约金？
zh? {s}的违约金是多少？
zh= 违约金
## interest party percent:2-15
en: Late payments by {s} bear interest at {v} per annum.
en: Where {s} is in arrears, default interest of {v} a year is charged.
en? What interest does {s} pay when late?
en? How high is the default rate for {s}?
en= Default interest
de: Gerät {s} in Verzug, fallen Zinsen von {v} pro Jahr an.
de: Der Verzugszins für {s:a} beträgt jährlich {v}.
de? Wie viel Verzugszins zahlt {s}?
de? Welcher Zinssatz gilt, wenn {s} zu spät zahlt?
de= Verzugszins
es: Si {s} se retrasa en el pago, se devengan intereses del {v} anual.
es? ¿Qué interés de demora paga {s}?
es= Interés de demora
fr: En cas de retard de paiement, {s} doit des intérêts de {v} par an.
fr? Quel taux d'intérêt s'applique si {s} paie en retard ?
fr= Intérêts de retard
it: In caso di ritardo nel pagamento {s} deve interessi del {v} annuo.
it? Quali interessi di mora deve {s}?
it= Interessi di mora
zh: {s}逾期付款的，按年利率{v}支付利息。
zh? {s}逾期付款的利率是多少？
zh= 逾期利率
## cover party amount:100000-9000000
en: {s} takes out liability insurance with a sum insured of at least [{v}].
en: Insurance cover of {v} per event is to be maintained by {s}.
en? For what sum must {s} be insured?
en? How much insurance does {s} need?
en= Sum insured
de: {s} unterhält eine Haftpflichtversicherung mit einer Deckungssumme von mindestens [{v}].
de? Über welche Summe muss {s} versichert sein?
de= Deckungssumme
es: {s} contratará un seguro de responsabilidad civil por al menos [{v}].
es? ¿Por qué suma debe asegurarse {s}?
es= Suma asegurada
fr: {s} souscrit une assurance responsabilité civile d'au moins [{v}].
fr? Pour quelle somme {s} doit-il s'assurer ?
fr= Somme assurée
it: {s} stipula un'assicurazione di responsabilità civile per almeno [{v}].
it? Per quale somma {s} deve assicurarsi?
it= Somma assicurata
zh: {s}应投保责任险，保险金额不低于{v}。
zh? {s}的责任险保额至少是多少？
zh= 责任险保额
## reply party period:2-20:bday,4-48:hour
en: {s} responds to enquiries within {v}.
en: Requests must be answered by {s} in no more than [{v}].
en? How fast does {s} have to react to a request?
en? Within what time will {s} reply?
en= Response time
de: {s} beantwortet Anfragen innerhalb von {v:d}.
de? Wie schnell muss {s} auf eine Anfrage antworten?
de= Reaktionszeit
es: {s} responderá a las consultas en un plazo máximo de {v}.
es? ¿En cuánto tiempo debe contestar {s}?
es= Tiempo de respuesta
fr: {s} répond aux demandes sous {v}.
fr? Sous combien de temps {s} doit-il répondre ?
fr= Délai de réponse
it: {s} risponde alle richieste entro {v}.
it? Entro quanto tempo {s} deve rispondere?
it= Tempo di risposta
zh: {s}应在{v}内答复询问。
zh? {s}须在多长时间内答复？
zh= 答复时限
## costs cost party
en: The costs of {s} are borne by {v}.
en: {v} pays for {s}.
en: {s} shall be at the expense of {v}.
en? Who pays for {s}?
en? Who has to bear the cost of {s}?
en? At whose expense is {s}?
en?s What does {v} have to pay for?
de: Die Kosten für {s:a} trägt {v}.
de: Für {s:a} kommt {v} auf.
de? Wer bezahlt {s:a}?
de? Wer trägt die Kosten für {s:a}?
es: Los gastos de {s} corren a cargo {v:g}.
es: {v} paga {s}.
es? ¿Quién paga {s}?
es? ¿A cargo de quién corren los gastos de {s}?
fr: Les frais relatifs à {s} sont à la charge {v:g}.
fr: {v} prend en charge {s}.
fr? Qui paie {s} ?
fr? À la charge de qui sont les frais relatifs à {s} ?
it: Le spese per {s} sono a carico {v:g}.
it: {v} paga {s}.
it? Chi paga {s}?
it? A carico di chi sono le spese per {s}?
zh: {s}的费用由{v}承担。
zh: {v}负责支付{s}的费用。
zh? {s}的费用由谁承担？
zh? 谁支付{s}的费用？
## peril peril yesno
en+: The policy [covers damage caused by {s}].
en+: [Loss resulting from {s} is insured].
en+: The insurer [pays for damage due to {s}].
en-: The policy [does not cover damage caused by {s}].
en-: [Loss resulting from {s} is excluded].
en-: [No compensation is paid for damage due to {s}].
en? Does the policy cover {s}?
en? Am I insured against {s}?
en? Is damage by {s} included?
de+: [Schäden durch {s} sind versichert].
de+: Die Versicherung [deckt Schäden durch {s}].
de-: [Schäden durch {s} sind ausgeschlossen].
de-: [Nicht versichert sind Schäden durch {s}].
de-: [Für Schäden durch {s} besteht kein Versicherungsschutz].
de? Deckt die Versicherung Schäden durch {s}?
de? Bin ich gegen {s} versichert?
es+: La póliza [cubre los daños por {s}].
es-: La póliza [no cubre los daños por {s}].
es-: [Quedan excluidos los daños por {s}].
es? ¿Cubre el seguro los daños por {s}?
es? ¿Están asegurados los daños por {s}?
fr+: Le contrat [couvre les dommages dus à l'événement suivant : {s}].
fr+: [Garanti : {s}].
fr-: [Exclu : {s}].
fr-: Le contrat [ne couvre pas l'événement suivant : {s}].
fr? L'assurance couvre-t-elle ce risque : {s} ?
fr? Est-ce que ce sinistre est assuré : {s} ?
it+: La polizza [copre i danni da {s}].
it-: La polizza [non copre i danni da {s}].
it-: [Sono esclusi i danni da {s}].
it? La polizza copre i danni da {s}?
it? Sono assicurati i danni da {s}?
zh+: 本保险[承保{s}造成的损失]。
zh-: 本保险[不承保{s}造成的损失]。
zh-: [{s}造成的损失不予赔偿]。
zh? 本保险承保{s}吗？
zh? {s}造成的损失能赔吗？
## permit act yesno
en+: Employees [may {s}].
en+: Staff [are allowed to {s}].
en-: Employees [must not {s}].
en-: It is [not permitted to {s}].
en? Are employees allowed to {s}?
en? May I {s}?
en? Is it permitted to {s}?
de+: [Es ist erlaubt, {s:z}].
de+: Beschäftigte [dürfen {s}].
de-: Beschäftigte [dürfen nicht {s}].
de-: [Es ist untersagt, {s:z}].
de? Dürfen Beschäftigte {s}?
de? Ist es erlaubt, {s:z}?
es+: El personal [puede {s}].
es-: El personal [no puede {s}].
es-: [Está prohibido {s}].
es? ¿Se permite {s}?
es? ¿Puede el personal {s}?
fr+: Les collaborateurs [peuvent {s}].
fr+: [Il est permis de {s}].
fr-: [Il est interdit de {s}].
fr? Est-il permis de {s} ?
fr? Les collaborateurs peuvent-ils {s} ?
it+: I dipendenti [possono {s}].
it-: [È vietato {s}].
it-: I dipendenti [non possono {s}].
it? È permesso {s}?
it? I dipendenti possono {s}?
zh+: 员工[可以{s}]。
zh-: 员工[不得{s}]。
zh-: [禁止{s}]。
zh? 员工可以{s}吗？
zh? 允许{s}吗？
## task task person date
en: {v} will {s} by {w}.
en: {v} was asked to {s}; deadline {w}.
en: Action: {s} – {v}, {w}.
en: It was agreed that {v} is to {s} no later than {w}.
en? Who is going to {s}?
en? Who has been asked to {s}?
en? Whose job is it to {s}?
en?w When is the deadline to {s}?
en?w By when does somebody have to {s}?
en?s What was {v} asked to do?
en?s What does {v} have to do?
de: {v} soll bis zum {w} {s}.
de: {v} übernimmt die Aufgabe, {s:z}; Termin ist der {w}.
de: Auftrag an {v}: {s} (Frist: {w}).
de? Wer soll {s}?
de? Wer hat die Aufgabe, {s:z}?
de?w Bis wann soll jemand {s}?
de?w Welche Frist gilt für die Aufgabe, {s:z}?
de?s Was soll {v} tun?
es: {v} debe {s} antes del {w}.
es: Se encarga a {v} {s}; fecha límite: {w}.
es? ¿Quién debe {s}?
es? ¿Quién se encarga de {s}?
es?w ¿Para cuándo hay que {s}?
es?s ¿Qué debe hacer {v}?
fr: {v} doit {s} d'ici au {w}.
fr: {v} est chargé(e) de {s} ; échéance : {w}.
fr? Qui doit {s} ?
fr? Qui est chargé de {s} ?
fr?w Pour quand faut-il {s} ?
fr?s Que doit faire {v} ?
it: {v} deve {s} entro il {w}.
it: A {v} spetta {s}; scadenza: {w}.
it? Chi deve {s}?
it? A chi spetta {s}?
it?w Entro quando bisogna {s}?
it?s Che cosa deve fare {v}?
zh: {v}负责在{w}之前{s}。
zh: 由{v}{s}，截止日期为{w}。
zh? 谁负责{s}？
zh? 由谁来{s}？
zh?w 什么时候之前要{s}？
zh?s {v}负责做什么？
## office post person phone
en: {s}: {v}, phone {w}
en: {v} is {s} and can be reached on {w}.
en: As {s}, {v} answers your questions ({w}).
en? Who is {s}?
en? Whom do I contact as {s}?
en? What is the name of {s}?
en?w What is the phone number of {s}?
en?w On what number can I reach {s}?
en?s What is {v}'s function?
de: {s}: {v}, Telefon {w}
de: Als {s} ist {v} unter {w} erreichbar.
de: Die Funktion „{s}“ übt {v} aus (Tel. {w}).
de? Wer ist {s}?
de? Wie heißt die Person mit der Funktion {s}?
de?w Welche Telefonnummer gehört zur Funktion {s}?
de?s Welche Funktion hat {v}?
es: {s}: {v}, teléfono {w}
es: El cargo de {s} lo ocupa {v} (tel. {w}).
es? ¿Quién ocupa el cargo de {s}?
es?w ¿Qué teléfono corresponde al cargo de {s}?
es?s ¿Qué cargo tiene {v}?
fr: {s} : {v}, téléphone {w}
fr: La fonction de {s} est assurée par {v} (tél. {w}).
fr? Qui assure la fonction de {s} ?
fr?w Quel est le numéro de téléphone pour la fonction de {s} ?
fr?s Quelle est la fonction de {v} ?
it: {s}: {v}, telefono {w}
it: L'incarico di {s} è affidato a {v} (tel. {w}).
it? Chi ha l'incarico di {s}?
it?w Qual è il telefono per l'incarico di {s}?
it?s Quale incarico ha {v}?
zh: {s}：{v}，电话{w}
zh: {v}担任{s}，联系电话为{w}。
zh? 谁担任{s}？
zh?w {s}的电话是多少？
zh?s {v}担任什么职务？
## fault code cause remedy
en: {s}: {v}. Remedy: {w}.
en: {s} means [{v}]; {w}.
en: When {s} is displayed, the cause is [{v}]. In this case {w}.
en? What does {s} mean?
en? Why is {s} shown on the display?
en?w What should I do when {s} appears?
en?w How do I fix {s}?
de: {s}: {v}. Abhilfe: {w}.
de: {s} bedeutet: {v}; {w}.
de? Was bedeutet {s}?
de? Warum zeigt das Gerät {s} an?
de?w Was ist zu tun, wenn {s} erscheint?
es: {s}: {v}. Solución: {w}.
es? ¿Qué significa {s}?
es? ¿Por qué aparece {s}?
es?w ¿Qué hay que hacer cuando aparece {s}?
fr: {s} : {v}. Solution : {w}.
fr? Que signifie {s} ?
fr? Pourquoi l'appareil affiche-t-il {s} ?
fr?w Que faire lorsque {s} s'affiche ?
it: {s}: {v}. Rimedio: {w}.
it? Che cosa significa {s}?
it? Perché compare {s}?
it?w Che cosa fare quando compare {s}?
zh: {s}：{v}。处理方法：{w}。
zh? {s}是什么意思？
zh? 为什么显示{s}？
zh?w 出现{s}时该怎么办？
## event event date time
en: {s} takes place on {v} at {w}.
en: {v}, {w}: {s}
en: We look forward to seeing you at {s} on {v}; doors open at {w}.
en? When is {s}?
en? On what date does {s} take place?
en?w At what time does {s} start?
de: {s} findet am {v} um {w} statt.
de: {v}, {w}: {s}
de? Wann findet {s} statt?
de? An welchem Tag ist {s}?
de?w Um wie viel Uhr beginnt {s}?
es: {s} tendrá lugar el {v} a las {w}.
es: {v}, {w}: {s}
es? ¿Cuándo es {s}?
es?w ¿A qué hora empieza {s}?
fr: {s} aura lieu le {v} à {w}.
fr: {v}, {w} : {s}
fr? Quand a lieu {s} ?
fr?w À quelle heure commence {s} ?
it: {s} si terrà il {v} alle {w}.
it: {v}, {w}: {s}
it? Quando si tiene {s}?
it?w A che ora comincia {s}?
zh: {s}定于{v}{w}举行。
zh: {v} {w}：{s}
zh? {s}什么时候举行？
zh?w {s}几点开始？
## result condition consequence
en: If {s}, {v}.
en: {v}, if {s}.
en: Where {s}, {v}.
en? What happens if {s}?
en? What are the consequences if {s}?
en?s In which case does it apply that {v}?
de: Wenn {s}, gilt Folgendes: {v}.
de: Falls {s}: {v}.
de? Was geschieht, wenn {s}?
de? Was gilt, falls {s}?
es: Si {s}, {v}.
es? ¿Qué ocurre si {s}?
fr: Si {s}, {v}.
fr? Que se passe-t-il si {s} ?
it: Se {s}, {v}.
it? Che cosa succede se {s}?
zh: 如果{s}，{v}。
zh: {s}的，{v}。
zh? 如果{s}会怎样？
## reason change reason
en: {s} because {v}.
en: {s}, the reason being that {v}.
en: {s}. This is because {v}.
en? What is the reason that {s}?
en? Can you tell me why {s}?
de: {s}. Grund dafür: {v}.
de: {s}, und zwar aus folgendem Grund: {v}.
de? Was ist der Grund dafür: {s}?
es: {s} porque {v}.
es? ¿Por qué {s}?
es? ¿Por qué motivo {s}?
fr: {s} parce que {v}.
fr? Pour quelle raison {s} ?
it: {s} perché {v}.
it? Per quale motivo {s}?
zh: 由于{v}，{s}。
zh: {s}，原因是{v}。
zh? 为什么{s}？
zh? {s}的原因是什么？
## price thing amount:5-9000
en: The price of {s} is {v} excluding VAT.
en: {s} costs {v}.
en: We offer {s} at {v}.
en? How much does {s} cost?
en? What do you charge for {s}?
en? What is the price of {s}?
en= Price
de: {s} kostet {v}.
de: Der Preis {s:g} beträgt {v} ohne Mehrwertsteuer.
de? Was kostet {s}?
de? Wie teuer ist {s}?
de= Preis
es: {s} cuesta {v}.
es: El precio {s:g} es de {v} sin IVA.
es? ¿Cuánto cuesta {s}?
es= Precio
fr: {s} coûte {v}.
fr: Le prix {s:g} est de {v} hors taxes.
fr? Combien coûte {s} ?
fr= Prix
it: {s} costa {v}.
it: Il prezzo {s:g} è di {v} IVA esclusa.
it? Quanto costa {s}?
it= Prezzo
zh: {s}的价格为{v}（不含税）。
zh? {s}多少钱？
zh? {s}的价格是多少？
zh= 价格
## deposit thing amount:50-2000
en: A deposit of {v} is payable for {s}.
en: To reserve {s}, we ask for {v} in advance.
en? How much must I pay in advance for {s}?
en? What deposit is required for {s}?
en= Deposit
de: Für {s:a} ist eine Anzahlung von {v} zu leisten.
de? Wie hoch ist die Anzahlung für {s:a}?
de? Wie viel muss ich für {s:a} im Voraus zahlen?
de= Anzahlung
es: Para {s} se exige un depósito de {v}.
es? ¿Qué depósito hay que pagar por {s}?
es= Depósito
fr: Un acompte de {v} est demandé pour {s}.
fr? Quel acompte faut-il verser pour {s} ?
fr= Acompte
it: Per {s} è richiesto un acconto di {v}.
it? Quale acconto serve per {s}?
it= Acconto
zh: {s}须预付订金{v}。
zh? {s}要付多少订金？
zh= 订金
## start thing date
en: {s} is available from {v}.
en: The start date of {s} is {v}.
en? From when is {s} available?
en? When does {s} begin?
en= Start date
de: {s} ist ab dem {v} verfügbar.
de: {s} beginnt am {v}.
de? Ab wann ist {s} verfügbar?
de= Beginn
es: {s} está disponible desde el {v}.
es? ¿Desde cuándo está disponible {s}?
es= Inicio
fr: {s} est disponible à partir du {v}.
fr? À partir de quand {s} est-il disponible ?
fr= Début
it: {s} è disponibile dal {v}.
it? Da quando è disponibile {s}?
it= Inizio
zh: {s}自{v}起提供。
zh? {s}从什么时候开始提供？
zh= 开始日期
## end thing date
en: {s} runs until {v}.
en: {s} expires on {v}.
en? When does {s} end?
en? Until when does {s} run?
en= End date
de: {s} endet am {v}.
de? Bis wann läuft {s}?
de= Ende
es: {s} termina el {v}.
es? ¿Hasta cuándo dura {s}?
es= Fin
fr: {s} prend fin le {v}.
fr? Quand {s} prend-il fin ?
fr= Fin
it: {s} termina il {v}.
it? Fino a quando dura {s}?
it= Fine
zh: {s}至{v}结束。
zh? {s}到什么时候结束？
zh= 结束日期
## contact thing person
en: {v} is in charge of {s}.
en: Questions about {s} should be put to {v}.
en? Who is responsible for {s}?
en? Whom should I ask about {s}?
en= Contact
de: Für {s:a} ist {v} zuständig.
de: Fragen zu {s:d} beantwortet {v}.
de? Wer ist für {s:a} zuständig?
de? An wen wende ich mich mit Fragen zu {s:d}?
de= Ansprechpartner
es: La persona responsable {s:g} es {v}.
es? ¿Quién es la persona responsable {s:g}?
es= Contacto
fr: {v} est responsable {s:g}.
fr? Qui est responsable {s:g} ?
fr= Contact
it: Per {s} rivolgersi a {v}.
it? A chi ci si rivolge per {s}?
it= Referente
zh: {s}由{v}负责。
zh? {s}由谁负责？
zh= 联系人
## seats thing count:6-400
en: {s} is designed for up to [{v} people].
en: At most [{v} persons] are admitted to {s}.
en? How many people can take part in {s}?
en? What is the capacity of {s}?
en= Capacity
de: {s} ist für höchstens [{v} Personen] vorgesehen.
de? Für wie viele Personen ist {s} gedacht?
de= Kapazität
es: {s} admite como máximo a [{v} personas].
es? ¿Cuántas personas admite {s}?
es= Capacidad
fr: {s} accueille au maximum [{v} personnes].
fr? Combien de personnes {s} peut-il accueillir ?
fr= Capacité
it: {s} accoglie al massimo [{v} persone].
it? Quante persone accoglie {s}?
it= Capienza
zh: {s}最多容纳{v}人。
zh? {s}最多能容纳多少人？
zh= 容量
## warranty thing period:2-10:year,12-60:month
en: {s} comes with a guarantee of {v}.
en: We guarantee {s} for {v} from delivery.
en? How long is {s} under warranty?
en? What guarantee period applies to {s}?
en= Warranty
de: Auf {s:a} gewähren wir {v} Garantie.
de? Wie lange hat man auf {s:a} Garantie?
de= Garantie
es: {s} tiene una garantía de {v}.
es? ¿Cuánto dura la garantía {s:g}?
es= Garantía
fr: {s} est garanti {v}.
fr? Quelle est la durée de garantie {s:g} ?
fr= Garantie
it: {s} ha una garanzia di {v}.
it? Quanto dura la garanzia {s:g}?
it= Garanzia
zh: {s}保修{v}。
zh? {s}保修多久？
zh= 保修期
## delivery thing period:2-9:week,3-20:bday
en: {s} is delivered within {v} of the order.
en: Allow {v} for delivery of {s}.
en? How long does it take until {s} arrives?
en? What is the lead time for {s}?
en= Delivery time
de: {s} wird innerhalb von {v:d} geliefert.
de? Wie lange dauert die Lieferung {s:g}?
de= Lieferzeit
es: El plazo de entrega {s:g} es de {v}.
es? ¿Cuánto tarda la entrega {s:g}?
es= Plazo de entrega
fr: Le délai de livraison {s:g} est de {v}.
fr? Combien de temps prend la livraison {s:g} ?
fr= Délai de livraison
it: La consegna {s:g} richiede {v}.
it? Quanto tempo richiede la consegna {s:g}?
it= Tempo di consegna
zh: {s}在下单后{v}内交付。
zh? {s}多久能交付？
zh= 交付时间
## rebate thing percent:2-40
en: Members receive a discount of {v} on {s}.
en: {s} is reduced by {v} for members.
en? What discount do members get on {s}?
en? By how much is {s} cheaper for members?
en= Member discount
de: Mitglieder erhalten auf {s:a} {v} Rabatt.
de? Wie viel Rabatt bekommen Mitglieder auf {s:a}?
de= Mitgliederrabatt
es: Los socios tienen un descuento del {v} en {s}.
es? ¿Qué descuento tienen los socios en {s}?
es= Descuento para socios
fr: Les membres bénéficient d'une remise de {v} sur {s}.
fr? Quelle remise les membres ont-ils sur {s} ?
fr= Remise membres
it: I soci hanno uno sconto del {v} per {s}.
it? Quale sconto hanno i soci per {s}?
it= Sconto soci
zh: 会员购买{s}可享受{v}的折扣优惠。
zh? 会员购买{s}能优惠多少？
zh= 会员优惠
## number thing code
en: {s} is listed under reference {v}.
en: Please quote {v} in all letters about {s}.
en? What reference number does {s} have?
en? Which number should I quote for {s}?
en= Reference
de: {s} wird unter der Nummer {v} geführt.
de? Welche Nummer hat {s}?
de? Welches Aktenzeichen muss ich für {s:a} angeben?
de= Aktenzeichen
es: {s} tiene la referencia {v}.
es? ¿Cuál es la referencia {s:g}?
es= Referencia
fr: {s} porte la référence {v}.
fr? Quelle est la référence {s:g} ?
fr= Référence
it: {s} ha il riferimento {v}.
it? Qual è il riferimento {s:g}?
it= Riferimento
zh: {s}的编号为{v}。
zh? {s}的编号是什么？
zh= 编号
## hours thing range
en: {s} is open from {v} on weekdays.
en: Opening times of {s}: {v}
en? When is {s} open?
en? What are the opening hours of {s}?
en= Opening hours
de: {s} ist werktags von {v} geöffnet.
de? Wann ist {s} geöffnet?
de= Öffnungszeiten
es: Horario {s:g}: {v}
es? ¿Cuál es el horario {s:g}?
es= Horario
fr: Horaires {s:g} : {v}
fr? Quels sont les horaires {s:g} ?
fr= Horaires
it: Orario {s:g}: {v}
it? Qual è l'orario {s:g}?
it= Orario
zh: {s}的开放时间为{v}。
zh? {s}几点开放？
zh= 开放时间
## place thing place
en: {s} can be found at {v}.
en: The address of {s} is {v}.
en? Where is {s}?
en? At what address do I find {s}?
en= Address
de: {s} befindet sich hier: {v}.
de? Wo befindet sich {s}?
de= Adresse
es: {s} se encuentra en {v}.
es? ¿Dónde está {s}?
es= Dirección
fr: {s} se trouve à l'adresse suivante : {v}.
fr? Où se trouve {s} ?
fr= Adresse
it: {s} si trova in {v}.
it? Dove si trova {s}?
it= Indirizzo
zh: {s}位于{v}。
zh? {s}在哪里？
zh= 地址
"""

# What a thing can be, and which kinds of facts it has.
THINGS = """
the {n} model|das Modell {n}|el modelo {n}|le modèle {n}|il modello {n}|{n}型号|price warranty delivery number rebate contact deposit
the {n} course|der Kurs {n}|el curso {n}|le cours {n}|il corso {n}|{n}课程|price start end seats contact place rebate deposit number
the {n} plan|der Tarif {n}|el plan {n}|le forfait {n}|il piano {n}|{n}套餐|price start end rebate number contact deposit
the {n} workshop|der Workshop {n}|el taller {n}|l'atelier {n}|il laboratorio {n}|{n}工作坊|price start end seats place contact rebate
the {n} project|das Projekt {n}|el proyecto {n}|le projet {n}|il progetto {n}|{n}项目|start end contact number place
the {n} hall|der Saal {n}|el salón {n}|le salon {n}|il salone {n}|{n}大厅|price seats hours place contact deposit rebate
the {n} branch|der Standort {n}|el centro {n}|le centre {n}|il centro {n}|{n}分店|hours place contact number seats
the {n} machine|das Gerät {n}|el aparato {n}|l'appareil {n}|il dispositivo {n}|{n}设备|price warranty delivery number contact deposit
the {n} package|das Paket {n}|el paquete {n}|le paquet {n}|il pacchetto {n}|{n}套装|price delivery number rebate start end deposit
the {n} car park|das Parkhaus {n}|el aparcamiento {n}|le parking {n}|il parcheggio {n}|{n}停车场|price hours place contact rebate
"""

COSTS = """
repairs to the roof|die Reparatur des Dachs|la reparación del tejado|la réparation du toit|la riparazione del tetto|屋顶维修
cleaning of the stairwell|die Reinigung des Treppenhauses|la limpieza de la escalera|le nettoyage de l'escalier|la pulizia delle scale|楼梯清洁
transport to the site|den Transport zur Baustelle|el transporte a la obra|le transport vers le site|il trasporto al cantiere|运往现场
packaging|die Verpackung|el embalaje|l'emballage|l'imballaggio|包装
travel and accommodation|Reise und Unterkunft|el viaje y el alojamiento|le voyage et l'hébergement|il viaggio e l'alloggio|差旅和住宿
training of new staff|die Schulung neuer Mitarbeiter|la formación del personal nuevo|la formation du nouveau personnel|la formazione del nuovo personale|新员工培训
electricity|den Strom|la electricidad|l'électricité|l'elettricità|电费
customs clearance|die Verzollung|el despacho de aduana|le dédouanement|lo sdoganamento|清关
disposal of old equipment|die Entsorgung alter Geräte|la retirada de equipos viejos|l'élimination des anciens appareils|lo smaltimento dei vecchi apparecchi|旧设备处理
the annual inspection|die jährliche Prüfung|la inspección anual|l'inspection annuelle|l'ispezione annuale|年度检验
translation of documents|die Übersetzung von Unterlagen|la traducción de documentos|la traduction des documents|la traduzione dei documenti|文件翻译
replacement of lost keys|den Ersatz verlorener Schlüssel|la sustitución de llaves perdidas|le remplacement des clés perdues|la sostituzione delle chiavi perse|遗失钥匙更换
"""

PERILS = """
fire|Feuer|incendio|incendie|incendio|火灾
earthquakes|Erdbeben|terremoto|tremblement de terre|terremoto|地震
floods|Überschwemmung|inundación|inondation|inondazione|洪水
hail|Hagel|granizo|grêle|grandine|冰雹
theft|Diebstahl|robo|vol|furto|盗窃
vandalism|Vandalismus|vandalismo|vandalisme|vandalismo|恶意破坏
lightning|Blitzschlag|rayo|foudre|fulmine|雷击
burst pipes|Rohrbruch|rotura de tuberías|rupture de canalisation|rottura di tubi|水管爆裂
normal wear|Abnutzung|desgaste|usure normale|usura|正常磨损
war|Krieg|guerra|guerre|guerra|战争
gross negligence|grobe Fahrlässigkeit|negligencia grave|négligence grave|colpa grave|重大过失
mould|Schimmel|moho|moisissure|muffa|霉菌
landslides|Erdrutsch|corrimiento de tierras|glissement de terrain|frana|滑坡
rodents|Nagetiere|roedores|rongeurs|roditori|鼠害
avalanches|Lawinen|aludes|avalanche|valanga|雪崩
power surges|Überspannung|sobretensión|surtension|sovratensione|电涌
"""

# In German with the infinitive with "zu".
ACTS = """
work from abroad|aus dem Ausland arbeiten~aus dem Ausland zu arbeiten|trabajar desde el extranjero|travailler depuis l'étranger|lavorare dall'estero|在国外办公
bring a dog to the office|einen Hund ins Büro mitbringen~einen Hund ins Büro mitzubringen|llevar un perro a la oficina|amener un chien au bureau|portare un cane in ufficio|带狗上班
use the company car privately|den Dienstwagen privat nutzen~den Dienstwagen privat zu nutzen|usar el coche de empresa con fines privados|utiliser la voiture de fonction à titre privé|usare l'auto aziendale per scopi privati|私用公司车辆
accept gifts from suppliers|Geschenke von Lieferanten annehmen~Geschenke von Lieferanten anzunehmen|aceptar regalos de proveedores|accepter des cadeaux de fournisseurs|accettare regali dai fornitori|接受供应商的礼物
install private software|private Software installieren~private Software zu installieren|instalar programas privados|installer des logiciels privés|installare programmi privati|安装私人软件
take files home|Akten nach Hause mitnehmen~Akten nach Hause mitzunehmen|llevarse expedientes a casa|emporter des dossiers à la maison|portare a casa i fascicoli|把文件带回家
smoke on the terrace|auf der Terrasse rauchen~auf der Terrasse zu rauchen|fumar en la terraza|fumer sur la terrasse|fumare in terrazza|在露台吸烟
carry over holiday to the next year|Urlaub ins Folgejahr übertragen~Urlaub ins Folgejahr zu übertragen|trasladar vacaciones al año siguiente|reporter des congés à l'année suivante|riportare le ferie all'anno successivo|把年假结转到下一年
travel first class|erster Klasse reisen~erster Klasse zu reisen|viajar en primera clase|voyager en première classe|viaggiare in prima classe|乘坐头等舱
share passwords|Passwörter weitergeben~Passwörter weiterzugeben|compartir contraseñas|partager des mots de passe|condividere le password|共享密码
park in the yard|im Hof parken~im Hof zu parken|aparcar en el patio|se garer dans la cour|parcheggiare in cortile|在院内停车
take a second job|eine Nebentätigkeit ausüben~eine Nebentätigkeit auszuüben|tener un segundo empleo|exercer une activité accessoire|svolgere un secondo lavoro|从事兼职
take photographs in the workshop|in der Werkstatt fotografieren~in der Werkstatt zu fotografieren|hacer fotos en el taller|photographier dans l'atelier|fotografare in officina|在车间拍照
eat at the desk|am Arbeitsplatz essen~am Arbeitsplatz zu essen|comer en el puesto de trabajo|manger au poste de travail|mangiare alla scrivania|在工位用餐
"""

TASKS = """
update the price list|die Preisliste aktualisieren~die Preisliste zu aktualisieren|actualizar la lista de precios|actualiser la liste de prix|aggiornare il listino prezzi|更新价目表
obtain three quotes|drei Angebote einholen~drei Angebote einzuholen|pedir tres presupuestos|demander trois devis|chiedere tre preventivi|获取三份报价
book the hotel|das Hotel buchen~das Hotel zu buchen|reservar el hotel|réserver l'hôtel|prenotare l'albergo|预订酒店
prepare the budget|das Budget vorbereiten~das Budget vorzubereiten|preparar el presupuesto|préparer le budget|preparare il bilancio preventivo|编制预算
write to the members|die Mitglieder anschreiben~die Mitglieder anzuschreiben|escribir a los socios|écrire aux membres|scrivere ai soci|写信给会员
check the fire extinguishers|die Feuerlöscher prüfen~die Feuerlöscher zu prüfen|revisar los extintores|contrôler les extincteurs|controllare gli estintori|检查灭火器
draft the press release|die Pressemitteilung entwerfen~die Pressemitteilung zu entwerfen|redactar la nota de prensa|rédiger le communiqué de presse|redigere il comunicato stampa|起草新闻稿
order new chairs|neue Stühle bestellen~neue Stühle zu bestellen|encargar sillas nuevas|commander de nouvelles chaises|ordinare nuove sedie|订购新椅子
test the backup|die Datensicherung testen~die Datensicherung zu testen|probar la copia de seguridad|tester la sauvegarde|verificare il backup|测试备份
call the supplier|den Lieferanten anrufen~den Lieferanten anzurufen|llamar al proveedor|appeler le fournisseur|chiamare il fornitore|给供应商打电话
translate the brochure|die Broschüre übersetzen~die Broschüre zu übersetzen|traducir el folleto|traduire la brochure|tradurre l'opuscolo|翻译宣传册
repair the gate|das Tor reparieren~das Tor zu reparieren|reparar la verja|réparer le portail|riparare il cancello|修理大门
send out the invitations|die Einladungen versenden~die Einladungen zu versenden|enviar las invitaciones|envoyer les invitations|spedire gli inviti|发送邀请函
review the contract|den Vertrag prüfen~den Vertrag zu prüfen|revisar el contrato|relire le contrat|rivedere il contratto|审核合同
collect the keys|die Schlüssel abholen~die Schlüssel abzuholen|recoger las llaves|récupérer les clés|ritirare le chiavi|领取钥匙
migrate the website|die Website umziehen~die Website umzuziehen|migrar el sitio web|migrer le site web|migrare il sito web|迁移网站
"""

POSTS = """
the data protection officer|Datenschutzbeauftragte|responsable de protección de datos|délégué à la protection des données|responsabile della protezione dei dati|数据保护专员
the fire warden|Brandschutzbeauftragte|responsable de incendios|responsable incendie|responsabile antincendio|消防负责人
the head of accounts|Leitung Buchhaltung|jefe de contabilidad|chef comptable|capo contabile|财务主管
the caretaker|Hauswart|conserje|concierge|custode|管理员
the project manager|Projektleitung|jefe de proyecto|chef de projet|capo progetto|项目经理
the head of purchasing|Leitung Einkauf|jefe de compras|responsable des achats|responsabile acquisti|采购主管
the training coordinator|Ausbildungsleitung|coordinador de formación|coordinateur de formation|coordinatore della formazione|培训协调员
the press officer|Pressestelle|jefe de prensa|attaché de presse|addetto stampa|新闻发言人
the first-aider|Ersthelfer|responsable de primeros auxilios|secouriste|addetto al primo soccorso|急救员
the treasurer|Kassierer|tesorero|trésorier|tesoriere|司库
the secretary|Schriftführer|secretario|secrétaire|segretario|秘书
the warehouse manager|Lagerleitung|jefe de almacén|chef d'entrepôt|responsabile di magazzino|仓库主管
"""

CAUSES = """
the filter is blocked|der Filter ist verstopft|el filtro está obstruido|le filtre est bouché|il filtro è intasato|过滤器堵塞
the water tank is empty|der Wassertank ist leer|el depósito de agua está vacío|le réservoir d'eau est vide|il serbatoio dell'acqua è vuoto|水箱已空
the motor is overheated|der Motor ist überhitzt|el motor está sobrecalentado|le moteur est en surchauffe|il motore è surriscaldato|电机过热
the battery is low|der Akku ist schwach|la batería está baja|la batterie est faible|la batteria è scarica|电池电量不足
the door is not closed|die Tür ist nicht geschlossen|la puerta no está cerrada|la porte n'est pas fermée|lo sportello non è chiuso|门未关好
the sensor is dirty|der Sensor ist verschmutzt|el sensor está sucio|le capteur est encrassé|il sensore è sporco|传感器脏污
the connection to the server is lost|die Verbindung zum Server ist unterbrochen|se ha perdido la conexión con el servidor|la connexion au serveur est coupée|la connessione al server è interrotta|与服务器的连接中断
the pressure is too high|der Druck ist zu hoch|la presión es demasiado alta|la pression est trop élevée|la pressione è troppo alta|压力过高
the paper is jammed|das Papier ist gestaut|el papel está atascado|le papier est coincé|la carta è inceppata|卡纸
"""

REMEDIES = """
clean the filter|den Filter reinigen|limpie el filtro|nettoyez le filtre|pulire il filtro|清洁过滤器
refill the tank|den Tank auffüllen|rellene el depósito|remplissez le réservoir|riempire il serbatoio|给水箱加水
let the unit cool for half an hour|das Gerät eine halbe Stunde abkühlen lassen|deje enfriar el aparato media hora|laissez refroidir l'appareil une demi-heure|lasciare raffreddare l'apparecchio mezz'ora|让设备冷却半小时
connect the charger|das Ladegerät anschließen|conecte el cargador|branchez le chargeur|collegare il caricabatterie|连接充电器
call customer service|den Kundendienst rufen|llame al servicio técnico|appelez le service après-vente|chiamare l'assistenza|联系客服
restart the unit|das Gerät neu starten|reinicie el aparato|redémarrez l'appareil|riavviare l'apparecchio|重新启动设备
open the relief valve|das Ablassventil öffnen|abra la válvula de alivio|ouvrez la soupape|aprire la valvola di sfogo|打开泄压阀
remove the cover and pull out the sheet|die Abdeckung abnehmen und das Blatt herausziehen|retire la tapa y extraiga la hoja|retirez le capot et sortez la feuille|togliere il coperchio ed estrarre il foglio|取下盖板并拉出纸张
wipe the sensor with a dry cloth|den Sensor mit einem trockenen Tuch abwischen|limpie el sensor con un paño seco|essuyez le capteur avec un chiffon sec|pulire il sensore con un panno asciutto|用干布擦拭传感器
"""

EVENTS = """
the annual general meeting|die Jahreshauptversammlung|la asamblea general anual|l'assemblée générale annuelle|l'assemblea generale annuale|年度大会
the fire drill|die Brandschutzübung|el simulacro de incendio|l'exercice d'évacuation|l'esercitazione antincendio|消防演习
the summer party|das Sommerfest|la fiesta de verano|la fête d'été|la festa d'estate|夏季聚会
the stocktaking|die Inventur|el inventario|l'inventaire|l'inventario|盘点
the parents' evening|der Elternabend|la reunión de padres|la réunion des parents|la riunione dei genitori|家长会
the board meeting|die Vorstandssitzung|la reunión de la junta|la réunion du comité|la riunione del consiglio|理事会会议
the open day|der Tag der offenen Tür|la jornada de puertas abiertas|la journée portes ouvertes|la giornata delle porte aperte|开放日
the first-aid training|die Erste-Hilfe-Schulung|el curso de primeros auxilios|la formation aux premiers secours|il corso di primo soccorso|急救培训
the handover of the flat|die Wohnungsübergabe|la entrega del piso|la remise de l'appartement|la consegna dell'appartamento|房屋交接
the product launch|die Produktvorstellung|la presentación del producto|le lancement du produit|la presentazione del prodotto|产品发布会
the safety briefing|die Sicherheitsunterweisung|la charla de seguridad|la séance de sécurité|la riunione sulla sicurezza|安全说明会
"""

CONDITIONS = """
the rent is two months late|die Miete zwei Monate ausbleibt|el alquiler se retrasa dos meses|le loyer a deux mois de retard|l'affitto è in ritardo di due mesi|租金拖欠两个月
a participant fails to appear|ein Teilnehmer nicht erscheint|un participante no se presenta|un participant ne se présente pas|un partecipante non si presenta|参加者未到场
the goods arrive damaged|die Ware beschädigt ankommt|la mercancía llega dañada|la marchandise arrive endommagée|la merce arriva danneggiata|货物到达时已损坏
a key is lost|ein Schlüssel verloren geht|se pierde una llave|une clé est perdue|si perde una chiave|钥匙遗失
the event is cancelled|die Veranstaltung abgesagt wird|se cancela el acto|l'événement est annulé|l'evento viene annullato|活动取消
the form is incomplete|das Formular unvollständig ist|el formulario está incompleto|le formulaire est incomplet|il modulo è incompleto|表格填写不完整
an expense has no receipt|zu einer Ausgabe der Beleg fehlt|falta el recibo de un gasto|une dépense n'a pas de justificatif|una spesa è senza ricevuta|费用没有收据
the line fails for more than a day|die Leitung länger als einen Tag ausfällt|la línea falla más de un día|la ligne est coupée plus d'un jour|la linea manca per più di un giorno|线路中断超过一天
the password is entered wrongly five times|das Passwort fünfmal falsch eingegeben wird|la contraseña se introduce mal cinco veces|le mot de passe est saisi cinq fois de travers|la password viene inserita male cinque volte|密码五次输入错误
the statement of earnings is late|die Abrechnung zu spät vorliegt|la liquidación llega tarde|le décompte arrive en retard|il rendiconto arriva in ritardo|结算单迟交
"""

CONSEQUENCES = """
the contract may be ended without notice|der Vertrag kann fristlos beendet werden|el contrato puede resolverse sin preaviso|le contrat peut être résilié sans préavis|il contratto può essere sciolto senza preavviso|合同可立即解除
the full fee remains payable|die volle Gebühr bleibt geschuldet|la tarifa completa sigue siendo exigible|le tarif complet reste dû|la tariffa intera resta dovuta|仍须支付全额费用
a replacement is sent free of charge|Ersatz wird kostenlos geliefert|se envía un reemplazo gratuito|un remplacement est envoyé gratuitement|viene inviata una sostituzione gratuita|将免费补发
the lock is changed at the user's expense|das Schloss wird auf Kosten des Nutzers ersetzt|se cambia la cerradura a cargo del usuario|la serrure est changée aux frais de l'utilisateur|la serratura viene cambiata a spese dell'utente|由使用人出资更换门锁
all fees are refunded|alle Gebühren werden erstattet|se devuelven todas las tasas|tous les frais sont remboursés|tutte le quote vengono rimborsate|所有费用予以退还
the application is returned|der Antrag wird zurückgesandt|se devuelve la solicitud|la demande est renvoyée|la domanda viene restituita|申请将被退回
the amount is not reimbursed|der Betrag wird nicht erstattet|el importe no se reembolsa|le montant n'est pas remboursé|l'importo non viene rimborsato|该款项不予报销
the monthly charge is waived|die Monatsgebühr entfällt|se perdona la cuota mensual|l'abonnement du mois est offert|il canone mensile non è dovuto|免收当月月费
the account is locked|das Konto wird gesperrt|la cuenta se bloquea|le compte est bloqué|l'account viene bloccato|账户将被锁定
a reminder is sent|es wird eine Mahnung verschickt|se envía un recordatorio|un rappel est envoyé|viene inviato un sollecito|将发出催告函
"""

CHANGES = """
the lift is out of service|Der Aufzug ist außer Betrieb|el ascensor está fuera de servicio|l'ascenseur est hors service|l'ascensore è fuori servizio|电梯停用
the canteen stays closed|Die Kantine bleibt geschlossen|el comedor permanece cerrado|la cantine reste fermée|la mensa resta chiusa|食堂暂停营业
the meeting was moved|Die Sitzung wurde verschoben|la reunión se ha aplazado|la réunion a été déplacée|la riunione è stata spostata|会议改期
prices are being raised|Die Preise werden erhöht|se suben los precios|les prix sont augmentés|i prezzi vengono aumentati|价格上调
delivery is delayed|Die Lieferung verzögert sich|la entrega se retrasa|la livraison est retardée|la consegna è in ritardo|交货延迟
the side entrance is locked|Der Nebeneingang ist gesperrt|la entrada lateral está cerrada|l'entrée latérale est fermée|l'ingresso laterale è chiuso|侧门关闭
the newsletter is no longer printed|Der Rundbrief wird nicht mehr gedruckt|el boletín ya no se imprime|le bulletin n'est plus imprimé|il bollettino non viene più stampato|通讯不再印刷
the old system is being switched off|Das alte System wird abgeschaltet|el sistema antiguo se desconecta|l'ancien système est arrêté|il vecchio sistema viene spento|旧系统停用
"""

REASONS = """
a spare part is missing|es fehlt ein Ersatzteil|falta una pieza de repuesto|une pièce de rechange manque|manca un pezzo di ricambio|缺少备件
the staff are on training|das Personal ist auf Schulung|el personal está en formación|le personnel est en formation|il personale è in formazione|员工在接受培训
the chair is ill|die vorsitzende Person ist krank|el presidente está enfermo|le président est malade|il presidente è malato|主席生病
energy has become dearer|die Energie ist teurer geworden|la energía se ha encarecido|l'énergie est devenue plus chère|l'energia è diventata più cara|能源涨价
the ship is held up in port|das Schiff wird im Hafen aufgehalten|el barco está retenido en el puerto|le navire est retenu au port|la nave è ferma in porto|货船滞留港口
the pavement is being renewed|der Gehweg wird erneuert|se está renovando la acera|le trottoir est en réfection|si sta rifacendo il marciapiede|人行道正在翻修
hardly anyone read it|kaum jemand hat sie gelesen|casi nadie lo leía|presque personne ne le lisait|quasi nessuno lo leggeva|几乎无人阅读
its maker no longer supports it|der Hersteller unterstützt es nicht mehr|el fabricante ya no le da soporte|le fabricant ne l'entretient plus|il produttore non lo supporta più|厂商不再提供支持
"""

NAMES = """Aspen Birch Cedar Juniper Nova Orion Vega Atlas Delta Sigma Comet Falcon Heron Lynx Otter Pico Quartz Ruby Topaz Zenith Alba
Borea Calma Duna Estrella Fjord Gamma Horizon Ibis Jade Kite Luna Mistral Nadir Onyx Polar""".split()
FIRST = """Anna Peter Maria Thomas Laura James Sofia Lukas Elena Marco Julia David Nina Paul Clara Hugo Eva Martin Ines Oscar Petra Ali
Yuki Chen Priya Omar Fatima Ivan Lea Noah Greta Simon Rosa Karl""".split()
LAST = """Keller Brown Rossi Martin García Novak Weber Jensen Silva Moreau Costa Fischer Walker Bianchi Dubois Lopez Meier Haas Young Conti
Petit Ruiz Huber Clark Greco Faure Vidal Kowalski Tanaka Singh Okafor Yılmaz Lindqvist Baumann O'Neill Ferreira""".split()
CHINESE = "王伟 李娜 张敏 刘洋 陈静 杨磊 赵丽 黄强 周婷 吴军 徐芳 孙杰 马超 朱琳 胡勇 郭颖".split()
STREETS = """Harbour Street|Mill Lane|Station Road|Via Roma|Rue des Lilas|Calle Mayor|Lindenstrasse|Bahnhofstrasse|Chapel Hill|Avenue Foch|
Gartenweg|Plaza Nueva|Corso Italia|Church Road|Seeweg|Oak Avenue""".replace("\n", "").split("|")
TOWNS = "Basel Leeds Torino Lyon Sevilla Graz Cork Ghent Porto Malmö Bern Lille Bergamo Toledo Kassel Dover".split()

# Sentences that say nothing of any fact, and lines that name a subject without saying it; `{l}` is a label.
FILLERS = {
    "en": ["This section forms part of the agreement as a whole.", "Please read the following points carefully.", "Changes are only valid if made in writing.",
           "The document was last revised by the legal department.", "Further copies can be obtained from the office.", "Both parties receive a signed original.",
           "Thank you for your trust.", "Headings are for convenience only.", "We reserve the right to correct errors.", "Kind regards"],
    "de": ["Dieser Abschnitt ist Teil der Vereinbarung.", "Bitte lesen Sie die folgenden Punkte sorgfältig.", "Änderungen bedürfen der Schriftform.",
           "Weitere Exemplare sind im Büro erhältlich.", "Beide Parteien erhalten ein unterzeichnetes Original.", "Vielen Dank für Ihr Vertrauen.", "Irrtümer bleiben vorbehalten."],
    "es": ["Esta sección forma parte del acuerdo.", "Lea con atención los puntos siguientes.", "Las modificaciones deben hacerse por escrito.", "Gracias por su confianza.", "Ambas partes reciben un original firmado."],
    "fr": ["La présente section fait partie de l'accord.", "Veuillez lire attentivement les points suivants.", "Toute modification requiert la forme écrite.", "Nous vous remercions de votre confiance.", "Chaque partie reçoit un original signé."],
    "it": ["Questa sezione è parte dell'accordo.", "Si prega di leggere attentamente i punti seguenti.", "Le modifiche richiedono la forma scritta.", "Grazie per la fiducia.", "Ciascuna parte riceve un originale firmato."],
    "zh": ["本节是协议的组成部分。", "请仔细阅读以下各项。", "任何变更须以书面形式作出。", "感谢您的信任。", "双方各执一份签字原件。"],
}  # fmt: skip
UNSAID = {
    "en": ["{l}: see annex {n}.", "Details on “{l}” are given in annex {n}.", "{l}: to be agreed separately", "The topic “{l}” will be dealt with at a later date."],
    "de": ["{l}: siehe Anlage {n}.", "Näheres zum Punkt „{l}“ regelt Anlage {n}.", "{l}: noch offen", "{l}: wird gesondert vereinbart"],
    "es": ["{l}: véase el anexo {n}.", "El punto «{l}» se regula en el anexo {n}.", "{l}: pendiente"],
    "fr": ["{l} : voir annexe {n}.", "Le point « {l} » est réglé à l'annexe {n}.", "{l} : à convenir"],
    "it": ["{l}: vedi allegato {n}.", "Il punto «{l}» è disciplinato nell'allegato {n}.", "{l}: da definire"],
    "zh": ["{l}：见附件{n}。", "关于“{l}”的规定见附件{n}。", "{l}：另行约定"],
}  # fmt: skip
TITLES = {
    "party": "Agreement|Vertrag|Contrato|Contrat|Contratto|合同", "cost": "Allocation of costs|Kostenverteilung|Reparto de gastos|Répartition des frais|Ripartizione delle spese|费用分担",
    "peril": "Scope of cover|Deckungsumfang|Alcance de la cobertura|Étendue de la garantie|Ambito di copertura|保险范围", "act": "Staff handbook|Personalhandbuch|Manual del personal|Manuel du personnel|Manuale del personale|员工手册",
    "task": "Minutes|Protokoll|Acta|Procès-verbal|Verbale|会议记录", "post": "Contacts|Ansprechpartner|Contactos|Contacts|Contatti|联系人", "code": "Troubleshooting|Störungsbehebung|Solución de problemas|Dépannage|Risoluzione dei problemi|故障排除",
    "event": "Notice|Aushang|Aviso|Avis|Avviso|通知", "condition": "Rules|Regelungen|Normas|Règlement|Regolamento|规定", "change": "Information|Mitteilung|Información|Information|Informazione|通知", "thing": "Offer|Angebot|Oferta|Offre|Offerta|报价",
}  # fmt: skip
