// Starts `orbitmc lsp`, and shows what its commands find.
'use strict';
const { workspace, window, ViewColumn } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const config = workspace.getConfiguration('orbitmc');
  const server = { command: config.get('path'), args: ['lsp'] };
  client = new LanguageClient('orbitmc', 'orbitmc', server, {
    documentSelector: [{ language: 'murphi' }, { language: 'promela' }],
    initializationOptions: { defines: config.get('defines'), dialect: config.get('dialect'), timeout: config.get('timeout') },
    middleware: {
      executeCommand: async (command, args, next) => {
        const answer = await next(command, args);
        if (answer && answer.page) {
          const panel = window.createWebviewPanel('orbitmc', command === 'orbitmc.table' ? 'Table' : 'Counterexample', ViewColumn.Beside, { enableScripts: true });
          panel.webview.html = answer.page;
        } else if (answer && answer.text) {
          const document = await workspace.openTextDocument({ content: answer.text });
          await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, preserveFocus: true });
        }
        return answer;
      },
    },
  });
  return client.start();
};

exports.deactivate = () => client && client.stop();
